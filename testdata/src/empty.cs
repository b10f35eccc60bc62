// Nothing at all: no type but <Module>, no user string.
