# To be sourced in the folder of the package. Sets `modules` to the folder TANGO_MODULES, or builds the modules, with all that is
# public on Linux.
modules=${TANGO_MODULES:-}
if [ -z "$modules" ]; then
    build=(--traits URLSessionOnLinux --scratch-path .build/docs)
    swift build --quiet "${build[@]}"
    modules=$(swift build --show-bin-path "${build[@]}")/Modules
fi
