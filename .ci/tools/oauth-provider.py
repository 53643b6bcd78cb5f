"""An OAuth 2 server of Authlib on the loopback interface, for the tests of Tango.

It prints its URL once it listens, and ends when its input ends. Users accept each request at once. The rules of all
endpoints are those of Authlib; this file has only the tables.
"""

import os
import sys
import threading
import time

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"  # http, on the loopback interface

from authlib.integrations.flask_oauth2 import AuthorizationServer, ResourceProtector
from authlib.oauth2.rfc6749 import ClientMixin, TokenMixin, grants
from authlib.oauth2.rfc6749.errors import OAuth2Error
from authlib.oauth2.rfc6750 import BearerTokenValidator
from authlib.oauth2.rfc7009 import RevocationEndpoint
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc8628 import (
    DEVICE_CODE_GRANT_TYPE,
    DeviceAuthorizationEndpoint,
    DeviceCodeGrant,
    DeviceCredentialDict,
)
from flask import Flask, jsonify, request
from werkzeug.serving import make_server


class Client(ClientMixin):
    def __init__(self, identifier, secret, method):
        self.identifier, self.secret, self.method = identifier, secret, method

    def get_client_id(self):
        return self.identifier

    def get_default_redirect_uri(self):
        return None

    def get_allowed_scope(self, scope):
        return " ".join(word for word in (scope or "").split() if word in ("read", "write"))

    def check_redirect_uri(self, uri):
        return uri == "com.example.app:/signed-in"

    def check_client_secret(self, secret):
        return self.secret == secret

    def check_endpoint_auth_method(self, method, endpoint):
        return method == self.method

    def check_response_type(self, kind):
        return kind == "code"

    def check_grant_type(self, kind):
        return True


class Token(TokenMixin):
    def __init__(self, values, client, user):
        self.values, self.client, self.user = values, client, user
        self.issued, self.revoked = time.time(), False

    def check_client(self, client):
        return self.client.get_client_id() == client.get_client_id()

    def get_scope(self):
        return self.values.get("scope", "")

    def get_expires_in(self):
        return self.values["expires_in"]

    def is_expired(self):
        return time.time() > self.issued + self.get_expires_in()

    def is_revoked(self):
        return self.revoked

    def get_user(self):
        return self.user

    def get_client(self):
        return self.client


class Code:
    def __init__(self, **values):
        self.__dict__.update(values)

    def get_redirect_uri(self):
        return self.redirect_uri

    def get_scope(self):
        return self.scope


USER = "ada"
CLIENTS = {
    client.identifier: client
    for client in [
        # Authlib does not decode the header, which RFC 6749 demands. So this secret has no character to encode.
        Client("service", "secret-of_the.service", "client_secret_basic"),
        Client("poster", "p&st=+ ü%41", "client_secret_post"),
        Client("app", "", "none"),
    ]
}
TOKENS, CODES, DEVICES = [], {}, {}


def find(name, text):
    return next((token for token in TOKENS if text and token.values.get(name) == text), None)


class AuthorizationCodeGrant(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post", "none"]

    def save_authorization_code(self, code, request):
        data = request.payload.data
        CODES[code] = Code(
            code=code, client=request.client, redirect_uri=request.payload.redirect_uri,
            scope=request.payload.scope, code_challenge=data.get("code_challenge"),
            code_challenge_method=data.get("code_challenge_method"))

    def query_authorization_code(self, code, client):
        found = CODES.get(code)
        return found if found and found.client is client else None

    def delete_authorization_code(self, code):
        del CODES[code.code]

    def authenticate_user(self, code):
        return USER


class ClientCredentialsGrant(grants.ClientCredentialsGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post"]


class PasswordGrant(grants.ResourceOwnerPasswordCredentialsGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post", "none"]

    def authenticate_user(self, name, password):
        return USER if (name, password) == (USER, "pässword &=+") else None


class RefreshTokenGrant(grants.RefreshTokenGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post", "none"]
    INCLUDE_NEW_REFRESH_TOKEN = True

    def authenticate_refresh_token(self, text):
        token = find("refresh_token", text)
        return token if token and not token.revoked else None

    def authenticate_user(self, token):
        return token.user

    def revoke_old_credential(self, token):
        token.revoked = True


class DeviceEndpoint(DeviceAuthorizationEndpoint):
    CLIENT_AUTH_METHODS = ["client_secret_basic", "none"]

    def get_verification_uri(self):
        return request.host_url + "device"

    def save_device_credential(self, client_id, scope, data):
        DEVICES[data["device_code"]] = DeviceCredentialDict(
            client_id=client_id, scope=scope, expires_at=time.time() + data["expires_in"], polls=0, **data)


class DeviceGrant(DeviceCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "none"]

    def query_device_credential(self, code):
        return DEVICES.get(code)

    def query_user_grant(self, user_code):
        device = next(each for each in DEVICES.values() if each["user_code"] == user_code)
        device["polls"] += 1
        return (USER, True) if device["polls"] > 2 else None

    def should_slow_down(self, device):
        return device["polls"] == 2


class Revocation(RevocationEndpoint):
    CLIENT_AUTH_METHODS = ["client_secret_basic", "client_secret_post", "none"]

    def query_token(self, text, hint):
        return find("access_token", text) or find("refresh_token", text)

    def revoke_token(self, token, request):
        token.revoked = True


class Validator(BearerTokenValidator):
    def authenticate_token(self, text):
        return find("access_token", text)


app = Flask(__name__)
app.config["OAUTH2_REFRESH_TOKEN_GENERATOR"] = True
server = AuthorizationServer(
    app, query_client=CLIENTS.get,
    save_token=lambda token, request: TOKENS.append(Token(token, request.client, request.user)))
server.register_grant(AuthorizationCodeGrant, [CodeChallenge(required=True)])
for grant in (ClientCredentialsGrant, PasswordGrant, RefreshTokenGrant, DeviceGrant):
    server.register_grant(grant)
server.register_endpoint(Revocation)
server.register_endpoint(DeviceEndpoint)
protector = ResourceProtector()
protector.register_token_validator(Validator())


@app.get("/authorize")
def authorize():
    return server.create_authorization_response(grant_user=None if request.args.get("deny") else USER)


@app.post("/token")
def token():
    return server.create_token_response()


@app.post("/revoke")
def revoke():
    return server.create_endpoint_response(Revocation.ENDPOINT_NAME)


@app.post("/device_authorization")
def device():
    return server.create_endpoint_response(DeviceEndpoint.ENDPOINT_NAME)


@app.get("/data")
@protector("read")
def data():
    return jsonify(scope=protector.acquire_token("read").get_scope())


@app.get("/written")
@protector("write")
def written():
    return jsonify(ok=True)


if __name__ == "__main__":
    web = make_server("127.0.0.1", 0, app, threaded=True)
    threading.Thread(target=web.serve_forever, daemon=True).start()
    print(f"http://127.0.0.1:{web.server_port}", flush=True)
    sys.stdin.read()
