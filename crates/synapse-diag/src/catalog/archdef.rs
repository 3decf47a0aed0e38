//! Definitions (`.archdef`): syntax and checks that need no model file.

entries! {
    NO_SUCH_OPERATION Refused "archdef-no-such-operation"
        "no such operation `{name}`"
        "no existe la operación `{name}`"
        "`synsema arch list --operations` shows all of them"
        "`synsema arch list --operations` las muestra todas";
}
