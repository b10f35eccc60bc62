// User strings with odd content: empty, embedded zeros, lone surrogates, every class of character
// that decides the last byte of an entry, and lengths around the limits of compressed integers.
using System;

static class Strings
{
    static void Show(string text)
    {
        uint sum = 2166136261;
        foreach (char c in text) sum = unchecked((sum ^ c) * 16777619);
        Console.WriteLine(text.Length + " " + sum.ToString("x8"));
    }

    static void Main()
    {
        const string Ten = "0123456789";
        const string Hundred = Ten + Ten + Ten + Ten + Ten + Ten + Ten + Ten + Ten + Ten;
        const string Kilo = Hundred + Hundred + Hundred + Hundred + Hundred + Hundred + Hundred +
            Hundred + Hundred + Hundred;
        const string Long8191 = Kilo + Kilo + Kilo + Kilo + Kilo + Kilo + Kilo + Kilo + Hundred +
            Ten + Ten + Ten + Ten + Ten + Ten + Ten + Ten + Ten + "x";
        const string Long8192 = Long8191 + "y";

        Show("");
        Show("\0");
        Show("a\0b\0");
        Show("\ud800");
        Show("\udc00\ud800");
        Show("\uffff\ufffe\ufeff");
        Show("plain");
        Show("\u0001"); Show("\u0008"); Show("\u0009"); Show("\u000d"); Show("\u000e");
        Show("\u001f"); Show("\u0020"); Show("'"); Show("-"); Show("\u007f"); Show("\u0080");
        Show("\u00ff"); Show("\u0100"); Show("\u4e00"); Show("\u0127");
        Show("\"quoted\" \\ back\r\n\t\v\f\a\b");
        Show("%s {0} <tag/> &amp; '; drop");
        Show("e\u0301 \u00e9 \u202eright to left\u202c \u200b");
        Show("\U0001f600\U0010ffff");
        // An entry's length counts the last byte: 2n + 1 around 0x7f and 0x3fff.
        Show("123456789012345678901234567890123456789012345678901234567890123");
        Show("1234567890123456789012345678901234567890123456789012345678901234");
        Show(Long8191);
        Show(Long8192);
    }
}
