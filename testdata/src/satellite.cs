// Asks for texts that its satellite assemblies de/ and pt-BR/ hold, and for one that only the
// neutral resources have.
using System;
using System.Globalization;
using System.Resources;

[assembly: NeutralResourcesLanguage("en")]

static class Satellite
{
    static void Main()
    {
        Console.OutputEncoding = new System.Text.UTF8Encoding(false);
        var manager = new ResourceManager("texts", typeof(Satellite).Assembly);
        foreach (string name in new[] { "", "de", "pt-BR", "fr" })
        {
            var culture = new CultureInfo(name);
            Console.WriteLine("[" + name + "] " + manager.GetString("hello", culture) + " | " +
                manager.GetString("neutral", culture));
        }
        var german = typeof(Satellite).Assembly.GetSatelliteAssembly(new CultureInfo("de"));
        Console.WriteLine(german.GetName().CultureInfo.Name + " " + german.GetManifestResourceNames()[0]);
    }
}
