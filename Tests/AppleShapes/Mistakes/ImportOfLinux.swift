import Glibc  // error: no such module 'Glibc_is_not_on_Apple_platforms'
