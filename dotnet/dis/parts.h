// The parts of the text, one a source file. Each writes to `IlSource::text`. Not installed.
#pragma once

#include <clrkit/dotnet/cil/body_extent.h>
#include <clrkit/dotnet/dis/il_source.h>

#include <cstdint>
#include <string>

namespace clrkit::dis {

// manifest.cpp, resources.cpp
void print_heading(IlSource& source);
void print_manifest(IlSource& source);
void print_resources(IlSource& source);
// headers.cpp
void print_pe_values(IlSource& source);

// attributes.cpp
/// The attributes of what has just been declared.
void print_attributes(IlSource& source, Token parent);
/// One row of CustomAttribute, unless it was printed already.
void print_attribute(IlSource& source, std::uint32_t rid);
/// Those of parents that have no declaration: references and the like.
void print_other_attributes(IlSource& source);
// permission_sets.cpp
void print_security(IlSource& source, Token parent);

// types.cpp
void print_type_order(IlSource& source);
/// Without the block.
void print_type_head(IlSource& source, TypeDef type);
void print_type(IlSource& source, std::uint32_t rid);
void print_all_types(IlSource& source);

// mono_order.cpp
/// Value types of other assemblies; at a place where an attribute belongs to nothing.
void print_foreign_types(IlSource& source);
void print_early_heads(IlSource& source);
/// What the type extends leads back to it, as `A : B<A/C>` does: mono's assembler refuses that.
bool is_built_on_itself(IlSource& source, std::uint32_t type);

// generics.cpp
/// `<class T, (Ns.Base) U>`, nothing where there are none. `count`: how many the owner should have.
void append_generic_parameters(IlSource& source, std::string& to, Token owner);
/// How many GenericParam rows the owner has.
std::uint32_t generic_parameter_count(const IlSource& source, Token owner);
void print_generic_attributes(IlSource& source, Token owner);

// fields.cpp
void print_field(IlSource& source, Field field);
/// ` = value` of a field, parameter or property, where there is one.
void append_constant(IlSource& source, std::string& to, Token parent);
// native_types.cpp
/// `marshal(...) `, where there is one.
void append_marshalling(IlSource& source, std::string& to, Token parent);

// data.cpp
/// `D_00002050`.
void append_data_label(std::string& to, std::uint32_t rva);
void print_data(IlSource& source);

// methods.cpp
void print_method(IlSource& source, MethodDef method);
// bodies.cpp
void print_body(IlSource& source, MethodDef method);

// members.cpp
void print_property(IlSource& source, std::uint32_t rid);
void print_event(IlSource& source, std::uint32_t rid);

// survey.cpp
/// Finds what no part of the text has to do with: names and tables.
void survey(IlSource& source);

}  // namespace clrkit::dis
