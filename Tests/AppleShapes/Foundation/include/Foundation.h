// Enumerations and option sets of Foundation's, which Swift imports from Objective-C.
#ifndef TANGO_FOUNDATION_SHAPE_H
#define TANGO_FOUNDATION_SHAPE_H

#define ENUMERATION(name)                                                                                              \
    enum __attribute__((enum_extensibility(open))) name : long;                                                        \
    typedef enum name name;                                                                                            \
    enum name : long
#define OPTIONS(name)                                                                                                  \
    enum __attribute__((flag_enum, enum_extensibility(open))) name : unsigned long;                                    \
    typedef enum name name;                                                                                            \
    enum name : unsigned long

// Stream.Event
OPTIONS(NSStreamEvent) {
    NSStreamEventNone = 0,
    NSStreamEventOpenCompleted = 1 << 0,
    NSStreamEventHasBytesAvailable = 1 << 1,
    NSStreamEventHasSpaceAvailable = 1 << 2,
    NSStreamEventErrorOccurred = 1 << 3,
    NSStreamEventEndEncountered = 1 << 4,
};

// HTTPCookie.AcceptPolicy
ENUMERATION(NSHTTPCookieAcceptPolicy) {
    NSHTTPCookieAcceptPolicyAlways,
    NSHTTPCookieAcceptPolicyNever,
    NSHTTPCookieAcceptPolicyOnlyFromMainDocumentDomain,
};

// NSURLRequest.CachePolicy
ENUMERATION(NSURLRequestCachePolicy) {
    NSURLRequestUseProtocolCachePolicy = 0,
    NSURLRequestReloadIgnoringLocalCacheData = 1,
    NSURLRequestReturnCacheDataElseLoad = 2,
    NSURLRequestReturnCacheDataDontLoad = 3,
    NSURLRequestReloadIgnoringLocalAndRemoteCacheData = 4,
    NSURLRequestReloadRevalidatingCacheData = 5,
};

// URLCredential.Persistence
ENUMERATION(NSURLCredentialPersistence) {
    NSURLCredentialPersistenceNone,
    NSURLCredentialPersistenceForSession,
    NSURLCredentialPersistencePermanent,
    NSURLCredentialPersistenceSynchronizable,
};

// URLSession.AuthChallengeDisposition
ENUMERATION(NSURLSessionAuthChallengeDisposition) {
    NSURLSessionAuthChallengeUseCredential = 0,
    NSURLSessionAuthChallengePerformDefaultHandling = 1,
    NSURLSessionAuthChallengeCancelAuthenticationChallenge = 2,
    NSURLSessionAuthChallengeRejectProtectionSpace = 3,
};

// URLSession.ResponseDisposition
ENUMERATION(NSURLSessionResponseDisposition) {
    NSURLSessionResponseCancel = 0,
    NSURLSessionResponseAllow = 1,
    NSURLSessionResponseBecomeDownload = 2,
    NSURLSessionResponseBecomeStream = 3,
};

// URLSession.DelayedRequestDisposition
ENUMERATION(NSURLSessionDelayedRequestDisposition) {
    NSURLSessionDelayedRequestContinueLoading = 0,
    NSURLSessionDelayedRequestUseNewRequest = 1,
    NSURLSessionDelayedRequestCancel = 2,
};

#endif
