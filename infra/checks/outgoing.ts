import type { SourceFile } from './source-tree.ts';

/** The table of what leaves the deployment. */
const PAGE = 'docs/outgoing.md';
const CONFIG = 'shared/runtime/config/config.ts';

/** Packages that open no connections. Another one counts as a sender until it is listed here. */
const SILENT_PACKAGES = new Set([
  '@cfworker/json-schema',
  '@mediabunny/mp3-encoder',
  // Receives only: its client has no token.
  '@slack/bolt',
  '@slack/types',
  '@wasm-audio-decoders/flac',
  'aws-lambda',
  'aws4',
  'discord-api-types',
  'eventsource-parser',
  'intl-messageformat',
  'mediabunny',
  'mpg123-decoder',
  'opus-decoder',
  'opusscript',
  'unpdf',
  'valibot',
]);
/** Files with a `fetch` of their own, or one that they get from a sender. */
const WITHOUT_CONNECTIONS = new Set([
  'shared/aws/secrets.ts',
  'shared/documents/pdf-thread.ts',
  'shared/video/store-result.ts',
]);
/** Logs and metrics are written to the output, which AWS collects. */
const WITHOUT_SENDER = new Set(['shared/runtime']);
/** Hosts to which nothing is sent: loopback, and examples in messages. */
const EXAMPLE_HOST =
  /^https?:\/\/(?:127\.0\.0\.1|(?:[\w.-]+\.)?example\.(?:com|org|net)|id\.execute-api\.region\.amazonaws\.com)$/u;

const isDeployed = ({ path }: SourceFile): boolean =>
  /^(?:shared|functions)\/.*\.ts$/u.test(path) && !path.includes('/examples/');

const withoutComments = (text: string): string =>
  text.replaceAll(/\/\*[\s\S]*?\*\//gu, '').replaceAll(/^\s*\/\/.*$/gmu, '');

const getPackage = (name: string): string => /^(?:@[^/]+\/)?[^/]+/u.exec(name)?.[0] ?? name;

/** Whether the text of a file opens connections: by `fetch`, by a request of Node.js, or by a package that may. */
export function opensConnections(text: string): boolean {
  const code = withoutComments(text);
  if (/(?<![.\w#])fetch\(|[{,]\s*fetch\s*[,}]|= fetch\b/u.test(code)) return true;
  const imports = [...code.matchAll(/^import (?!type )([^;]*?) from '([^'.][^']*)';/gmu)];
  return imports.some(([, names = '', name = '']) => {
    const values = names.replaceAll(/\btype \w+(?: as \w+)?/gu, '');
    if (/^node:(?:http|https|http2)$/u.test(name)) return /\b(?:request|get|connect)\b/u.test(values);
    if (/^node:(?:net|tls|dgram)$/u.test(name))
      return /\b(?:connect|createConnection|createSocket)\b/u.test(values);
    return !name.startsWith('node:') && /\w/u.test(values) && !SILENT_PACKAGES.has(getPackage(name));
  });
}

/** The hosts that code names. Addresses in comments are sources of rules. */
const listHosts = (text: string): string[] =>
  [...withoutComments(text).matchAll(/https?:\/\/[a-z0-9*-]+(?:\.[a-z0-9*-]+)+/gu)].map(([host]) => host);

const isIn = (file: string, path: string): boolean => file === path || file.startsWith(`${path}/`);

/** Reports what the code of a deployment connects to and docs/outgoing.md does not say, and the other way round. One sentence each. */
export function findOutgoingProblems(files: readonly SourceFile[]): string[] {
  const page = files.find(({ path }) => path === PAGE)?.text ?? '';
  const deployed = files.filter(isDeployed);
  const listed = [...page.matchAll(/`((?:shared|functions)\/[^`]+)`/gu)].flatMap(([, path = '']) => path);
  const senders = deployed
    .filter(({ path, text }) => !WITHOUT_CONNECTIONS.has(path) && opensConnections(text))
    .map(({ path }) => path);
  const hosts = new Set(deployed.flatMap(({ text }) => listHosts(text)));
  const config = files.find(({ path }) => path === CONFIG)?.text ?? '';
  const services = /type AwsService = ([^;]*);/u.exec(config)?.[1] ?? '';
  const targets = [
    ...[...hosts].filter((host) => !EXAMPLE_HOST.test(host)),
    ...[...services.matchAll(/'(\w+)'/gu)].flatMap(([, name = '']) => name),
  ];
  return [
    ...senders
      .filter((file) => !listed.some((path) => isIn(file, path)))
      .map((file) => `${file} may open connections: add what it sends, and to whom, to ${PAGE}`),
    ...listed
      .filter((path) => !WITHOUT_SENDER.has(path) && !senders.some((file) => isIn(file, path)))
      .map((path) => `${PAGE}: ${path} opens no connections`),
    ...targets
      .filter((target) => !page.includes(`\`${target}\``))
      .map((target) => `${target} is in the code of the deployment, and not in ${PAGE}`),
  ];
}
