// Which core library runs this, by its MVID; and a little of what is in the libraries beside it.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Xml;

static class CoreLibrary
{
    static void Main()
    {
        Console.WriteLine(typeof(object).Module.ModuleVersionId);
        var document = new XmlDocument();
        document.LoadXml("<sum><n>1</n><n>2</n></sum>");
        Console.WriteLine(document.SelectNodes("//n").Cast<XmlNode>().Sum(n => int.Parse(n.InnerText)));
        Console.WriteLine(new Uri("http://host/path?query").Query);
        Console.WriteLine(new LinkedList<int>(new[] { 3, 1, 2 }.OrderBy(n => n)).First.Value);
    }
}
