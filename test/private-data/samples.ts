import type { PrivateKind } from '../../shared/private-data/text-reader.ts';

/** A key of random characters that no scanner of repositories takes for a real one: it is put together here. */
const random = (length: number): string =>
  'q7Wz3KpXv9LmT2bRn5YcH8dJ4sGf6ZaEu1Qi0Po'.repeat(9).slice(0, length);
const hexadecimal = (length: number): string => '9f3a61c7d20b48e5'.repeat(9).slice(0, length);

/** A private key in PEM with lines of random characters. */
const DASHES = '-----';
export const PEM_HEADER = `${DASHES}BEGIN PRIVATE KEY${DASHES}`;
export const PEM = `${DASHES}BEGIN RSA PRIVATE KEY${DASHES}\n${[random(64), random(64), random(40)].join('\n')}\n${DASHES}END RSA PRIVATE KEY${DASHES}`;

/** Values of each kind, as people and programs write them. */
export const PRIVATE: Readonly<Record<Exclude<PrivateKind, 'custom'>, readonly string[]>> = {
  card: [
    '4111111111111111',
    '4111 1111 1111 1111',
    '4111-1111-1111-1111',
    '4111.1111.1111.1111',
    '4111  1111  1111  1111',
    '4111 - 1111 - 1111 - 1111'.replaceAll(' - ', '- '),
    '4111 1111\n1111 1111',
    '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1',
    '411111 1111111111',
    '４１１１ １１１１ １１１１ １１１１',
    '٤١١١ ١١١١ ١١١١ ١١١١',
    '𝟜𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙𝟙',
    '4111\u00a01111\u00a01111\u00a01111',
    '4111–1111–1111–1111',
    '4111\u200b1111\u200b1111\u200b1111',
    '3782 822463 10005',
    '378282246310005',
    '5555555555554444',
    '2223003122003222',
    '6011111111111117',
    '3530111333300000',
    '30569309025904',
  ],
  key: [
    `AKIA${random(16).toUpperCase()}`,
    `ghp_${random(36)}`,
    `github_pat_${random(60)}`,
    `glpat-${random(20)}`,
    `xoxb-123456789012-123456789012-${random(24)}`,
    `xapp-1-A0123-${random(30)}`,
    `sk_live_${random(24)}`,
    `sk-proj-${random(40)}`,
    `AIza${random(35)}`,
    `npm_${random(36)}`,
    `eyJ${random(30)}.eyJ${random(60)}.${random(43)}`,
    `${random(26)}.${random(6)}.${random(38)}`,
    `shpat_${hexadecimal(32)}`,
    PEM,
  ],
  email: [
    'ada@example.com',
    'ada.lovelace+news@mail.example.co.uk',
    'ｍａｘ＠ｅｘａｍｐｌｅ．ｄｅ',
    'jörg@bücher.example',
    'ada@ex\u00adample.com',
  ],
  phone: [
    '+49 30 1234567',
    '+4915112345678',
    '+1 (415) 555-2671',
    '(415) 555-2671',
    '415-555-2671',
    '415.555.2671',
    '(415) 555 2671',
    '(415)-555-2671',
    '(415)555-2671',
    '415 555 2671',
    '415 555-2671',
    '415/555-2671',
    '1-800-555-0199',
    '1 800 555 0199',
    '1 (415) 555-2671',
  ],
  iban: [
    'DE89 3704 0044 0532 0130 00',
    'DE89370400440532013000',
    'gb29nwbk60161331926819',
    'NO93-8601-1117-947',
  ],
};

/** A value that is assigned to a name, and what has to be masked of it. */
export const ASSIGNED: readonly (readonly [text: string, secret: string])[] = [
  ['password=hunter2-hunter2', 'hunter2-hunter2'],
  ['{"api_key": "k3Y9zQ17mmXw"}', 'k3Y9zQ17mmXw'],
  ['export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI/K7MDENG/bPxRfiCY', 'wJalrXUtnFEMI/K7MDENG/bPxRfiCY'],
  ['Authorization: Bearer q7Wz3KpXv9LmT2bR', 'q7Wz3KpXv9LmT2bR'],
  ['client_secret: `q7Wz3KpXv9LmT2bR`', 'q7Wz3KpXv9LmT2bR'],
  ['postgres://app:s3cr3t-pw@db.internal/main', 's3cr3t-pw'],
  [`https://hooks.slack.com/services/T0123/B0123/${random(24)}`, `T0123/B0123/${random(24)}`],
];

/** Texts in which nothing is private, though it looks so. */
export const PUBLIC: readonly string[] = [
  'Order 4021-7781-0931-2245 of 2026-11-27 12:30:45',
  'Invoice 4111111111111112',
  'ISBN 978-3-16-148410-0, EAN 4006381333931',
  'Commit 4111111111111111a0b1c2d3e4f5a6b7c8d9e0f1 and d670460b4b4aece5915caf5c68d12f560a9fe3e4',
  'a4111111111111111',
  '0.4111111111111111 and -3.4111111111111111e-5',
  '550e8400-e29b-41d4-a716-446655440000',
  '1700000000.000100 and 1732712345678',
  '<@1157700000000000001> and <#1157700000000000002>',
  '4111\n1111\n1111\n1111',
  'git@github.com:parley/parley.git, icon@2x.png, @types/node@24.0.0, user@localhost',
  'password: please choose one; the password is required',
  'token = $TOKEN, secret: ${{ secrets.KEY }}, api_key=<your key>',
  `The header ${PEM_HEADER} begins a key.`,
  'Since 2020+ we had 12+34567890 and C++11, at +0200',
  '192.168.100.200, 10.0.0.1:8080, version 2024.11.27',
  'DE89 3704 0044 0532 0130 01 has a wrong check digit',
  'AKIA is a prefix; so are ghp_ and sk-.',
  'https://example.com/a/b?c=d#e',
  'Sales 2024 415 555 2671 3300 and 250 300 1200 90',
  '1 234 567 890, 415 555 267, 4155 552 671, 2026-11-27 415',
  '415/555/2671 and 2024/11/27-1230',
  'Order 11-415-555-2671, part 415-555-26715, id A415-555-2671',
];
