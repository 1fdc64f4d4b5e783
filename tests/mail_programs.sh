#!/bin/sh
# Installs the programs that the checks of mail servers run, where they are missing: as root, from Debian or a system
# made of it. No service is started. Ends with 0 only if all are there.
set -eu
missing=""
for pair in postfix:postfix rspamd:rspamd swaks:swaks miltertest:miltertest procmail:procmail maildrop:maildrop sieve-test:dovecot-sieve; do
    PATH="$PATH:/usr/sbin:/sbin" command -v "${pair%%:*}" > /dev/null || missing="$missing ${pair##*:}"
done
[ -n "$missing" ] || exit 0
if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
    echo "missing programs:$missing (apt-get install$missing)" >&2
    exit 1
fi
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
    printf '#!/bin/sh\nexit 101\n' > "$policy"
    chmod 755 "$policy"
    trap 'rm -f "$policy"' EXIT
fi
apt-get update -qq
# shellcheck disable=SC2086
DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $missing
