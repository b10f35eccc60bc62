// For debug information: scopes with constants of every odd kind, nested scopes, async and
// iterator state machines, hoisted locals, generics, tuple names, dynamic flags, `using` aliases,
// hidden sequence points, a #line that names another file. The program prints where it throws.
using System;
using System.Collections.Generic;
using System.Threading.Tasks;
using Map = System.Collections.Generic.Dictionary<string, int>;

namespace Symbols
{
    static class Program
    {
        static int Constants(int n)
        {
            const decimal money = 12.50m;
            const string none = null;
            const string text = "constant \ud800";
            const object nothing = null;
            const double nan = double.NaN;
            const DayOfWeek day = DayOfWeek.Friday;
            const int[] array = null;
            const List<string> list = null;
            const char letter = 'x';
            {
                const ulong inner = ulong.MaxValue;
                int scoped = n + 1;
                n += scoped + (int)(inner & 1);
            }
            for (int i = 0; i < 2; i++)
            {
                int loop = i * n;
                n += loop;
            }
            return n + (int)money + text.Length + (none == null ? 1 : 0) + (nothing == null ? 1 : 0) +
                (double.IsNaN(nan) ? 1 : 0) + (int)day + (array == null && list == null ? letter : 0);
        }

        static async Task<int> Async(int n)
        {
            int hoisted = n;
            foreach (int i in new[] { 1, 2 })
            {
                await Task.Yield();
                hoisted += i;
            }
            return hoisted;
        }

        static IEnumerable<(int index, string name)> Iterate<T>(Map map, T extra)
        {
            int index = 0;
            foreach (var pair in map)
                yield return (index++, pair.Key + extra);
        }

        static int Lambda(int captured)
        {
            Func<int, int> add = x => { int local = x + captured; return local; };
            return add(1);
        }

        static void Throw()
        {
#line 1000 "elsewhere.txt"
            throw new InvalidOperationException("line");
#line default
        }

        static void Hidden()
        {
#line hidden
            int hidden = 1;
#line 200
            Console.WriteLine(hidden);
#line default
        }

        static void Main()
        {
            Console.WriteLine(Constants(3) + " " + Async(4).Result + " " + Lambda(5));
            foreach (var (index, name) in Iterate(new Map { { "k", 1 } }, 'z')) Console.WriteLine(index + name);
            Hidden();
            try { Throw(); }
            catch (InvalidOperationException e)
            {
                var frame = new System.Diagnostics.StackTrace(e, true).GetFrame(0);
                Console.WriteLine(frame.GetMethod().Name + " " + frame.GetFileLineNumber() + " " +
                    System.IO.Path.GetFileName(frame.GetFileName() ?? "-"));
            }
        }
    }
}
