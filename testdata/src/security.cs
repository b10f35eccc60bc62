// Declarative security: permission sets on the assembly, a type and a method, several actions on
// one parent, arguments of every kind inside the blob. No runtime here enforces them.
using System;
using System.Security;
using System.Security.Permissions;

[assembly: SecurityPermission(SecurityAction.RequestMinimum, Execution = true)]
[assembly: FileIOPermission(SecurityAction.RequestOptional, Unrestricted = true)]

[SecurityPermission(SecurityAction.Demand, Flags = SecurityPermissionFlag.UnmanagedCode)]
[EnvironmentPermission(SecurityAction.Deny, Read = "PATH;H\u00d6ME")]
class Careful
{
    [FileIOPermission(SecurityAction.Demand, AllLocalFiles = FileIOPermissionAccess.Read)]
    [SecurityPermission(SecurityAction.Demand, ControlThread = true, ControlPolicy = false)]
    [PermissionSet(SecurityAction.Assert, Name = "FullTrust")]
    [StrongNameIdentityPermission(SecurityAction.LinkDemand, Name = "some", Version = "1.2")]
    public virtual void Run() { Console.WriteLine("ran"); }

    [UIPermission(SecurityAction.InheritanceDemand, Window = UIPermissionWindow.SafeTopLevelWindows)]
    public virtual void Inherit() { }
}

static class Security
{
    [PrincipalPermission(SecurityAction.Demand, Role = null, Authenticated = false)]
    static void Anyone() { Console.WriteLine("anyone"); }

    static void Main()
    {
        var type = typeof(Careful);
        Console.WriteLine((type.Attributes & System.Reflection.TypeAttributes.HasSecurity) != 0);
        foreach (string name in new[] { "Run", "Inherit" })
            Console.WriteLine(name + " " + ((type.GetMethod(name).Attributes &
                System.Reflection.MethodAttributes.HasSecurity) != 0));
    }
}
