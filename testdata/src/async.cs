// State machines: async methods, iterators, an async explicit implementation of a generic
// interface (its state machine has brackets in its name); async iterators when built for .NET.
using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Threading.Tasks;

interface IWork<T> { Task<int> Do(T input); }

class Worker : IWork<byte[]>
{
    async Task<int> IWork<byte[]>.Do(byte[] input)
    {
        int sum = 0;
        foreach (byte b in input)
        {
            await Task.Yield();
            sum += b;
        }
        return sum;
    }
}

static class Async
{
    static async Task<string> Steps(bool fail)
    {
        string log = "";
        try
        {
            await Task.Delay(1);
            log += "a";
            if (fail) throw new InvalidOperationException("b");
            log += await Task.FromResult("c");
        }
        catch (InvalidOperationException e)
        {
            log += await Task.FromResult(e.Message);
        }
        finally
        {
            await Task.Yield();
            log += "f";
        }
        return log;
    }

    static async Task<T> Generic<T>(T value) { await Task.Yield(); return value; }

    static IEnumerable<T> Twice<T>(IEnumerable<T> source)
    {
        foreach (T item in source) { yield return item; yield return item; }
    }

    static IEnumerator<int> Endless()
    {
        int i = 0;
        while (true) yield return i++;
    }

#if NET
    static async IAsyncEnumerable<int> Ticks(int n)
    {
        try
        {
            for (int i = 0; i < n; i++) { await Task.Yield(); yield return i; }
        }
        finally { Console.WriteLine("ticks done"); }
    }

    static async Task<string> Drain()
    {
        string text = "";
        await foreach (int tick in Ticks(10))
        {
            if (tick == 4) break;
            text += tick;
        }
        return text;
    }
#endif

    static void Main()
    {
        Console.WriteLine(Steps(false).Result + " " + Steps(true).Result);
        Console.WriteLine(Generic("text").Result + " " + Generic(12).Result);
        Console.WriteLine(((IWork<byte[]>)new Worker()).Do(new byte[] { 1, 2, 3 }).Result);
        Console.WriteLine(string.Join("", Twice("abc")));
        IEnumerator<int> endless = Endless();
        for (int i = 0; i < 5; i++) endless.MoveNext();
        Console.WriteLine(endless.Current);
        Func<Task<int>> lambda = async () => { await Task.Yield(); return 99; };
        Console.WriteLine(lambda().Result);
#if NET
        Console.WriteLine(Drain().Result);
        MethodInfo steps = typeof(Async).GetMethod("Steps",
            BindingFlags.Static | BindingFlags.NonPublic);
        var attribute = steps.GetCustomAttribute<System.Runtime.CompilerServices.AsyncStateMachineAttribute>();
        Console.WriteLine(attribute.StateMachineType.DeclaringType.Name);
#endif
    }
}
