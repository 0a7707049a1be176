import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createServer, type TlsOptions } from 'node:tls';

/** Files in PEM format: the root certificate, and the chain and key of a server on this machine. */
export type Certificates = { readonly root: string; readonly chain: string; readonly key: string };

/** The host name of the servers, which the certificate is for. */
const HOST = 'localhost';
const LOCAL = /http:\/\/(?:127\.0\.0\.1|localhost):(\d+)/gu;

/**
 * Creates a root, an intermediate and a server certificate with RSA keys of 2,048 bits, as the services of AWS and Slack
 * send them. Needs `openssl`, since Node cannot create certificates. Throws without it.
 */
export function createCertificates(folder: string): Certificates {
  const file = (name: string): string => join(folder, name);
  const run = (...args: string[]): void => void execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' });
  const request = (name: string, subject: string): void =>
    run(
      'req',
      '-newkey',
      'rsa:2048',
      '-nodes',
      '-keyout',
      `${name}.key`,
      '-out',
      `${name}.csr`,
      '-subj',
      subject,
    );
  const sign = (name: string, by: string, extensions: string): void => {
    writeFileSync(file(`${name}.ext`), extensions);
    const signer = ['-CA', `${by}.pem`, '-CAkey', `${by}.key`, '-CAcreateserial'];
    run(
      'x509',
      '-req',
      '-in',
      `${name}.csr`,
      ...signer,
      '-days',
      '2',
      '-out',
      `${name}.pem`,
      '-extfile',
      `${name}.ext`,
    );
  };
  run(
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-keyout',
    'root.key',
    '-out',
    'root.pem',
    '-days',
    '2',
    '-subj',
    '/CN=Bench root',
  );
  request('intermediate', '/CN=Bench intermediate');
  sign('intermediate', 'root', 'basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign');
  request('server', `/CN=${HOST}`);
  sign('server', 'intermediate', `subjectAltName=DNS:${HOST}`);
  const chain = ['server.pem', 'intermediate.pem'].map((name) => readFileSync(file(name), 'utf8')).join('');
  writeFileSync(file('chain.pem'), chain);
  return { root: file('root.pem'), chain: file('chain.pem'), key: file('server.key') };
}

/**
 * Replaces the addresses of local HTTP servers in `env` by those of TLS servers in this process, which pass everything on.
 * A process with these variables encrypts its connections, as it does when it is deployed.
 */
export async function withTls(
  env: Readonly<Record<string, string | undefined>>,
  { root, chain, key }: Certificates,
): Promise<Record<string, string | undefined>> {
  const options = { key: readFileSync(key), cert: readFileSync(chain) };
  const secure: Record<string, string | undefined> = { NODE_EXTRA_CA_CERTS: root };
  const addresses = new Map<string, string>();
  for (const [name, value] of Object.entries(env)) {
    for (const [address, port] of value?.matchAll(LOCAL) ?? [])
      if (!addresses.has(address)) addresses.set(address, await startTlsServer(Number(port), options));
    secure[name] = value?.replace(LOCAL, (address) => addresses.get(address) ?? address);
  }
  return secure;
}

/** Starts a server that decrypts for the one at `port`. Resolves with its address. */
async function startTlsServer(port: number, options: TlsOptions): Promise<string> {
  const server = createServer(options, (client) => {
    const plain = connect(port, '127.0.0.1');
    client.pipe(plain).pipe(client);
    const end = (): void => {
      client.destroy();
      plain.destroy();
    };
    for (const socket of [client, plain]) socket.on('error', end).on('close', end);
  });
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  server.unref();
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The server has no port');
  return `https://${HOST}:${address.port}`;
}
