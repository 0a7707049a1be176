import type { Random } from '../faults/seeded-random.ts';
import { chance, pick, upTo } from './mutate.ts';

/** Hosts from which the product fetches. */
const ALLOWED = [
  'files.slack.com',
  'files-origin.slack.com',
  'slack-files.com',
  'hooks.slack.com',
  'a.slack-edge.com',
  'cdn.discordapp.com',
  'media.discordapp.net',
  'vision.example.com',
] as const;

/** Names that resolve to internal addresses, and names that must not be requested. */
export const INSIDE_NAMES = [
  'localhost',
  'localhost.',
  'a.localhost',
  'localhost.localdomain',
  'metadata.google.internal',
  'metadata.google.internal.',
  'instance-data.ec2.internal',
  'printer.local',
  'router.lan',
  'kubernetes.default.svc.cluster.local',
  'inside.example.net',
  'rebinding.example.net',
  '127.0.0.1.nip.example.net',
] as const;

type Octets = readonly [number, number, number, number];

const INSIDE: readonly [Octets, ...Octets[]] = [
  [127, 0, 0, 1],
  [127, 1, 2, 3],
  [10, 0, 0, 1],
  [172, 16, 0, 1],
  [192, 168, 1, 1],
  [169, 254, 169, 254],
  [169, 254, 170, 2],
  [100, 100, 100, 200],
  [0, 0, 0, 0],
  [255, 255, 255, 255],
  [224, 0, 0, 1],
  [192, 0, 0, 192],
];
const INSIDE_6 = [
  '[::1]',
  '[::]',
  '[fd00:ec2::254]',
  '[fe80::1]',
  '[fe80::1%25eth0]',
  '[::ffff:169.254.169.254]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::a9fe:a9fe]',
  '[64:ff9b:1::a9fe:a9fe]',
  '[2002:7f00:1::]',
  '[2001:0:7f00:1::]',
  '[ff02::1]',
  '[0:0:0:0:0:0:0:1]',
] as const;

const number = ([a, b, c, d]: Octets): number => ((a * 256 + b) * 256 + c) * 256 + d;
const octal = (part: number): string => `0${part.toString(8)}`;

const WIDE = ['０', '１', '２', '３', '４', '５', '６', '７', '８', '９'];
const CIRCLED = ['⓪', '①', '②', '③', '④', '⑤', '⑥', '⑦', '⑧', '⑨'];
const inDigits = (part: number, digits: readonly string[]): string =>
  String(part).replaceAll(/\d/gu, (digit) => digits[Number(digit)] ?? '');

/** Spellings of an IPv4 address. */
const WRITTEN: readonly [(of: Octets) => string, ...((of: Octets) => string)[]] = [
  (of) => of.join('.'),
  (of) => `${of.join('.')}.`,
  (of) => of.map(octal).join('.'),
  (of) => of.map((part) => `000${octal(part)}`).join('.'),
  (of) => of.map((part) => `0x${part.toString(16)}`).join('.'),
  (of) => String(number(of)),
  (of) => `0x${number(of).toString(16)}`,
  (of) => `0${number(of).toString(8)}`,
  ([a, b, c, d]) => `${a}.${b}.${c * 256 + d}`,
  ([a, b, c, d]) => `${a}.${(b * 256 + c) * 256 + d}`,
  ([a, b, c, d]) => `${a}.0x${b.toString(16)}.${octal(c)}.${d}`,
  (of) => of.map((part) => inDigits(part, WIDE)).join('。'),
  (of) => of.map((part) => inDigits(part, CIRCLED)).join('.'),
  (of) => `[::ffff:${of.join('.')}]`,
];

const ODD = [
  '\u200B',
  '\u00AD',
  '\u2060',
  '\uFEFF',
  '\t',
  '\n',
  ' ',
  '%00',
  '%2e',
  '\0',
  'ı',
  '․',
  '。',
  '⁄',
  '@',
  '#',
  '?',
  '\\',
  '/',
  ';',
  '&',
  '%40',
  '%23',
  '%5c',
  '%2f',
] as const;
const STRANGERS = [
  'evil.example.org',
  'files.slack.com.evil.example.org',
  'evil.example.org.',
  'xn--flles-slack-com.example.org',
] as const;
/** Letters that look like the plain one, or normalize to it. */
const ALIKE: Readonly<Record<string, readonly [string, ...string[]]>> = {
  a: ['а', 'ａ', 'ᵃ', 'á'],
  c: ['с', 'ｃ', 'ⅽ'],
  e: ['е', 'ｅ', 'ė'],
  i: ['і', 'ｉ', 'ı', 'l', '1'],
  l: ['ｌ', 'I', '1', 'ⅼ'],
  o: ['о', 'ｏ', '0', 'ο'],
  s: ['ѕ', 'ｓ', 'ſ'],
  '.': ['。', '．', '｡', '..', '-'],
};

function lookAlike(random: Random, host: string): string {
  const at = upTo(random, host.length - 1);
  const letter = host[at] ?? '';
  const other = ALIKE[letter] ? pick(random, ALIKE[letter]) : pick(random, ODD);
  return host.slice(0, at) + other + host.slice(at + 1);
}

/** Foreign hosts that look like an allowed one. */
const DISGUISES: readonly [
  (random: Random, host: string) => string,
  ...((random: Random, host: string) => string)[],
] = [
  lookAlike,
  (random, host) => `${host}.${pick(random, STRANGERS)}`,
  (random, host) => `${pick(random, STRANGERS)}.${host}`,
  (random, host) => `${host}${pick(random, ODD)}${pick(random, STRANGERS)}`,
  (random, host) => `${pick(random, STRANGERS)}${pick(random, ODD)}${host}`,
  (_, host) => `x-${host}`,
  (_, host) => `${host}.`,
  (random, host) => `${host}:${pick(random, [1, 22, 80, 8080, 8443, 65_535])}`,
  (random, host) => `user:word@${chance(random, 0.5) ? host : pick(random, STRANGERS)}`,
  (random, host) => `${host}@${pick(random, STRANGERS)}`,
  (random, host) => `${host}:443@${pick(random, WRITTEN)(pick(random, INSIDE))}`,
  (_, host) => host.toUpperCase(),
  (_, host) => host.replace('.', ''),
  (_, host) => host.replace(/\.[^.]*$/u, '.co'),
];

function hostFrom(random: Random): string {
  const kind = upTo(random, 9);
  if (kind < 3) return pick(random, WRITTEN)(pick(random, INSIDE));
  if (kind === 3) return pick(random, INSIDE_6);
  if (kind === 4) return pick(random, INSIDE_NAMES);
  if (kind === 5) return pick(random, STRANGERS);
  return pick(random, DISGUISES)(random, pick(random, ALLOWED));
}

const SCHEMES = [
  'https://',
  'https://',
  'https://',
  'https://',
  'http://',
  '//',
  'https:/',
  'https:',
  'https:///',
  'https:\\\\',
  'HTTPS://',
  'ftp://',
  'file://',
  'gopher://',
  'data:text/html,',
  'blob:https://',
  'ws://',
  'javascript://',
  'https://https://',
  ' https://',
  'ht\ntps://',
  '',
] as const;
const PATHS = [
  '/',
  '/files-pri/T1-F1/a.png',
  '/attachments/301/8/a.png',
  '/..//evil.example.org/',
  '/%2f%2fevil.example.org',
  '/\\evil.example.org',
  '/latest/meta-data/',
  '?x=https://files.slack.com/',
  '#@files.slack.com/',
  '/files-pri-safe/a',
  '/v2/inference/requests/../../x',
  '',
] as const;

/** A URL that leads, or seems to lead, outside of the allow-list; sometimes an allowed one. */
export function addressFrom(random: Random): string {
  const ports = chance(random, 0.15)
    ? `:${pick(random, ['80', '443', '0', '22', '65536', '08443', ''])}`
    : '';
  if (chance(random, 0.04)) return `https://${pick(random, ALLOWED)}${pick(random, PATHS)}`;
  return `${pick(random, SCHEMES)}${hostFrom(random)}${ports}${pick(random, PATHS)}`;
}

/** Distinct addresses, as many as requested. */
export function addresses(random: Random, count: number): string[] {
  const all = new Set<string>();
  while (all.size < count) all.add(addressFrom(random));
  return [...all];
}
