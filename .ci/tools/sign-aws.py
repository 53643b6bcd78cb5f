"""Signs URLs with the signers of Amazon's own libraries.

Usage: sign-aws.py FILE    FILE has a URL and a service in each line, separated by a tab.

Prints two headers `Authorization` for each, of botocore and of the common runtime, separated by a tab.
"""
import datetime
import sys

from awscrt.auth import (AwsCredentialsProvider, AwsSignatureType, AwsSigningAlgorithm, AwsSigningConfig,
                         AwsSignedBodyHeaderType, aws_sign_request)
from awscrt.exceptions import AwsCrtError
from awscrt.http import HttpHeaders, HttpRequest
from botocore.auth import S3SigV4Auth, SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

KEY, SECRET, REGION = "AKIDEXAMPLE", "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY", "us-east-1"
TIME = datetime.datetime(2015, 8, 30, 12, 36, tzinfo=datetime.timezone.utc)
EMPTY = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"


def botocore(url, service):
    signer = (S3SigV4Auth if service == "s3" else SigV4Auth)(Credentials(KEY, SECRET), service, REGION)
    request = AWSRequest("GET", url)
    request.context["timestamp"] = TIME.strftime("%Y%m%dT%H%M%SZ")
    request.headers["X-Amz-Date"] = request.context["timestamp"]
    if service == "s3":
        request.headers["X-Amz-Content-Sha256"] = EMPTY
    names = signer.signed_headers(signer.headers_to_sign(request))
    text = signer.string_to_sign(request, signer.canonical_request(request))
    return (f"AWS4-HMAC-SHA256 Credential={signer.scope(request)}, SignedHeaders={names}, "
            f"Signature={signer.signature(text, request)}")


def runtime(url, service):
    scheme, rest = url.split("://")
    host, path = rest.split("/", 1)
    is_s3 = service == "s3"
    header = AwsSignedBodyHeaderType.X_AMZ_CONTENT_SHA_256 if is_s3 else AwsSignedBodyHeaderType.NONE
    config = AwsSigningConfig(
        algorithm=AwsSigningAlgorithm.V4, signature_type=AwsSignatureType.HTTP_REQUEST_HEADERS,
        credentials_provider=AwsCredentialsProvider.new_static(KEY, SECRET), region=REGION, service=service, date=TIME,
        use_double_uri_encode=not is_s3, should_normalize_uri_path=not is_s3, signed_body_value=EMPTY,
        signed_body_header_type=header)
    request = HttpRequest("GET", "/" + path, HttpHeaders([("Host", host)]))
    aws_sign_request(request, config).result()
    return dict(request.headers)["Authorization"]


for line in open(sys.argv[1], encoding="utf-8"):
    url, service = line.rstrip("\n").split("\t")
    signatures = [botocore(url, service)]
    try:
        signatures.append(runtime(url, service))
    except AwsCrtError:
        # It cannot parse all URLs, such as one with a colon as a segment.
        pass
    print(*signatures, sep="\t")
