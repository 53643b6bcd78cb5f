import Foundation

/// The configuration of nginx.
struct NginxConfiguration {
    let folder: URL
    let ports: [NginxServer.Site: Int]
    let tunnelModule: String

    var text: String {
        """
        daemon off;
        master_process off;
        pid \(folder.path)/nginx.pid;
        error_log stderr notice;
        load_module \(tunnelModule);
        events { worker_connections 4096; }
        http {
            access_log off;
            server_tokens off;
            client_body_temp_path \(folder.path)/body;
            proxy_temp_path \(folder.path)/proxy;
            fastcgi_temp_path \(folder.path)/fastcgi;
            uwsgi_temp_path \(folder.path)/uwsgi;
            scgi_temp_path \(folder.path)/scgi;
            client_max_body_size 0;
            client_body_timeout 600s;
            send_timeout 600s;
            keepalive_timeout 600s;
            keepalive_requests 1000000;
            large_client_header_buffers 16 256k;
            default_type text/plain;
            proxy_http_version 1.1;
            proxy_buffering off;
            proxy_request_buffering off;
            proxy_read_timeout 600s;
            proxy_send_timeout 600s;
            proxy_buffer_size 256k;
            proxy_buffers 8 256k;
            ssl_session_cache shared:all:1m;
            ssl_protocols TLSv1.2 TLSv1.3;
        \(NginxServer.Site.allCases.filter { $0 != .tunnel }.map(site).joined())
        }
        \(tunnel)
        """
    }

    private func site(_ site: NginxServer.Site) -> String {
        let port = ports[site] ?? 0
        let (ssl, http2) = (site != .clear, [.http2, .leaving, .narrow].contains(site))
        let certificate =
            switch site {
            case .wrongHost: "wrong-host"
            case .expired: "expired"
            case .early: "early"
            case .wrongPurpose: "purpose"
            case .selfSigned: "self-signed"
            case .otherAuthority: "other"
            default: "right"
            }
        var more = ""
        if ssl {
            more +=
                "ssl_certificate \(folder.path)/\(certificate).pem; ssl_certificate_key \(folder.path)/\(certificate).key;"
        }
        switch site {
        case .clientWanted: more += " ssl_verify_client on; ssl_client_certificate \(folder.path)/authority.pem;"
        case .tls1_2: more += " ssl_protocols TLSv1.2;"
        case .leaving: more += " keepalive_requests 10;"
        case .narrow: more += " http2_max_concurrent_streams 4; http2_body_preread_size 4k;"
        default: break
        }
        let listen = "listen 127.0.0.1:\(port)\(ssl ? " ssl" : "")\(http2 ? " http2" : "")"
        return """
                server {
                    \(listen) default_server reuseport;
                    server_name _;
                    \(more)
                    location = /facts {
                        add_header X-Reused $ssl_session_reused;
                        add_header X-Connection $connection;
                        return 200 "$ssl_protocol $connection $ssl_client_verify $ssl_server_name $http_host $request_method";
                    }
                    # As /facts, but responds after reading the body of the request.
                    location = /read {
                        add_header X-Connection $connection;
                        proxy_hide_header X-Connection;
                        proxy_request_buffering on;
                        proxy_set_header Connection "";
                        proxy_pass http://127.0.0.1:\(ports[.clear] ?? 0)/facts;
                    }
                    location /files { root \(folder.path); }
                    location = /refused { return 413; }
                    # Responses that are sent before the body of the request is read.
                    location = /early/ok { \(lingering) return 200 "{}"; }
                    location = /early/empty { \(lingering) return 200; }
                    location = /early/none { \(lingering) return 204; }
                    # Of unknown length.
                    location = /early/encoded {
                        \(lingering)
                        gzip on;
                        gzip_min_length 0;
                        gzip_types *;
                        return 200 "{}";
                    }
                }
                server {
                    \(listen);
                    server_name ~^p(?<upstream>[0-9]+)\\.up\\.localhost$;
                    \(more)
                    location / {
                        proxy_set_header Host 127.0.0.1:$upstream;
                        proxy_set_header Connection "";
                        proxy_pass http://127.0.0.1:$upstream;
                    }
                }

            """
    }

    /// Gives a slow client time to send its whole body. By default, nginx closes the connection after a few seconds.
    private let lingering = "lingering_time 600s; lingering_timeout 600s;"

    private var tunnel: String {
        """
        stream {
            map $ssl_server_name $upstream {
                ~^p(?<port>[0-9]+)\\.up\\.localhost$ 127.0.0.1:$port;
            }
            server {
                listen 127.0.0.1:\(ports[.tunnel] ?? 0) ssl reuseport;
                ssl_certificate \(folder.path)/right.pem;
                ssl_certificate_key \(folder.path)/right.key;
                ssl_protocols TLSv1.2 TLSv1.3;
                proxy_timeout 600s;
                proxy_pass $upstream;
            }
        }
        """
    }
}
