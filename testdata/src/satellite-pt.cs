// A satellite has no code: culture and resources only.
[assembly: System.Reflection.AssemblyCulture("pt-BR")]
