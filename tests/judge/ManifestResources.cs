// Managed resources that this file holds (ECMA-335 II.6.2.2, II.22.24).
using System.Buffers.Binary;

namespace Judge;

sealed class ManifestResources(Image image, Metadata metadata, Names names, Report report)
{
    public void Print()
    {
        if (metadata.Rows[Table.ManifestResource] == 0 || image.Headers.CorHeader is not { } cor)
            return;
        report.Section("resources");
        var data = image.Range(cor.ResourcesDirectory);
        for (int row = 1; row <= metadata.Rows[Table.ManifestResource]; row++)
        {
            report.Item();
            names.Append(report.Line, Table.ManifestResource, row);
            report.End();
            uint offset = metadata.Cell(Table.ManifestResource, row, 0);
            if (metadata.Cell(Table.ManifestResource, row, 3) != 0)
            {
                report.Line.Add("elsewhere, offset "u8).Hex(offset);
                report.End();
                continue;
            }
            if (offset > data.Length || data.Length - offset < 4 ||
                BinaryPrimitives.ReadUInt32LittleEndian(data[(int)offset..]) is var size &&
                    size > data.Length - offset - 4)
            {
                report.Unreadable("a resource that leaves its directory");
                continue;
            }
            report.Spend(size / 8);
            report.Line.Content(data.Slice((int)offset + 4, (int)size));
            report.End();
            report.Line.Add("offset modulo 8 "u8).Dec(offset % 8);
            report.End(Fact.Alignment);
        }
    }
}
