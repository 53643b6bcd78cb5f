// Enumerations of Security's, which Swift imports from C.
#ifndef TANGO_SECURITY_SHAPE_H
#define TANGO_SECURITY_SHAPE_H

enum __attribute__((enum_extensibility(open))) tls_protocol_version_t : unsigned short;
typedef enum tls_protocol_version_t tls_protocol_version_t;
enum tls_protocol_version_t : unsigned short {
    tls_protocol_version_TLSv10 __attribute__((swift_name("TLSv10"))) = 0x0301,
    tls_protocol_version_TLSv11 __attribute__((swift_name("TLSv11"))) = 0x0302,
    tls_protocol_version_TLSv12 __attribute__((swift_name("TLSv12"))) = 0x0303,
    tls_protocol_version_TLSv13 __attribute__((swift_name("TLSv13"))) = 0x0304,
};

#endif
