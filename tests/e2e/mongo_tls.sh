#!/bin/sh
# MongoDB over TLS: certificates that are checked, those of clients, and Ctrl-C in the middle of a wait. TLS is a program of
# Python in front of the fake server. Prints one `ok - name`, `not ok - name` or `skip - name: reason` line per case.
set -u
# shellcheck source=tests/e2e/lib.sh
. "$(dirname -- "$0")/lib.sh"
# shellcheck source=tests/e2e/lib_mongo.sh
. "$source_root/tests/e2e/lib_mongo.sh"
command -v openssl >/dev/null 2>&1 || {
	echo "skip - TLS: there is no openssl command"
	exit 0
}
shop=$source_root/examples/shop

# certificate NAME SUBJECT: signed by ca.pem; NAME.pem holds key and certificate.
certificate() {
	printf 'subjectAltName=DNS:localhost,IP:127.0.0.1\n' >ext
	openssl req -newkey rsa:2048 -nodes -keyout "$1.key" -out "$1.csr" -subj "$2" >log 2>&1 &&
		openssl x509 -req -in "$1.csr" -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile ext -out "$1.crt" >log 2>&1 &&
		cat "$1.key" "$1.crt" >"$1.pem"
}
# front [CA]: $tls is the port.
front() {
	rm -f front.port
	python3 "$source_root/tests/e2e/tls_front.py" "$dir/front.port" "$port" server.crt server.key "$@" 2>front.err &
	fakes="$fakes $!"
	tries=0
	while [ ! -f front.port ]; do
		tries=$((tries + 1))
		[ "$tries" -lt 300 ] || exit 1
		sleep 0.05
	done
	tls=$(cat front.port)
}

openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=ca >log 2>&1 || exit 1
openssl req -x509 -newkey rsa:2048 -nodes -keyout other.key -out other.pem -days 2 -subj /CN=other >log 2>&1 || exit 1
certificate server /CN=localhost || exit 1
certificate client /CN=ann || exit 1

start_fake "shop.orders=$shop/orders.ndjson"
front
run query "mongodb://localhost:$tls/shop.orders?tls=true&tlsCAFile=$dir/ca.pem" '{}' --limit 0; want "a certificate that is known" 0 "5,400"
run audit "mongodb://127.0.0.1:$tls/shop.orders?tls=true&tlsCAFile=$dir/ca.pem" --store s.db; want "an audit over TLS" 0 "19 problems"
run query "mongodb://localhost:$tls/shop.orders?tls=true" '{}'; want "a certificate that nobody knows" 1 "" "TLS handshake failed"
run query "mongodb://localhost:$tls/shop.orders?tls=true&tlsCAFile=$dir/other.pem" '{}'; want "a certificate of another" 1 "" "TLS handshake failed"
run query "mongodb://localhost:$tls/shop.orders?tls=true&tlsCAFile=$dir/none.pem" '{}'; want "a file that is not there" 1
run query "mongodb://localhost:$tls/shop.orders" '{}'; want "no TLS where it is wanted" 1 "" "no server answers"
front ca.pem
run query "mongodb://localhost:$tls/shop.orders?tls=true&tlsCAFile=$dir/ca.pem&tlsCertificateKeyFile=$dir/client.pem" '{}' --limit 0
want "the certificate of a client" 0 "5,400"
run query "mongodb://localhost:$tls/shop.orders?tls=true&tlsCAFile=$dir/ca.pem" '{}'; want "a client without one" 1
run audit "mongodb://localhost:$tls/shop.orders?tls=true&tlsCAFile=$dir/ca.pem&tlsCertificateKeyFile=$dir/client.pem&authMechanism=MONGODB-X509&authSource=\$external" --store s.db
want "a login by the certificate" 0 "19 problems"
holds "the server is asked for it" grep -qE '"authenticate":1.*MONGODB-X509' record
stop_fake TLS

start_fake "shop.orders=$shop/orders.ndjson" --rule 'authenticate error 18 Authentication failed.'
front ca.pem
run query "mongodb://localhost:$tls/shop.orders?tls=true&tlsCAFile=$dir/ca.pem&tlsCertificateKeyFile=$dir/client.pem&authMechanism=MONGODB-X509" '{}'
want "a certificate that no user has" 1 "" "refused the login"
stop_fake "a certificate that no user has"

start_fake "shop.orders=$shop/orders.ndjson" --rule 'find slow 5000'
front
"$ARGUS" audit "mongodb://localhost:$tls/shop.orders?tls=true&tlsCAFile=$dir/ca.pem" --store s.db >out 2>err &
pid=$!
sleep 1.5
begin=$(date +%s%N)
kill -INT "$pid"
wait "$pid"
code=$?
want "Ctrl-C over TLS" 130 "" "stopped"
holds "it does not wait for the server" [ $((($(date +%s%N) - begin) / 1000000)) -lt 1500 ]
stop_fake "Ctrl-C over TLS"
exit $bad
