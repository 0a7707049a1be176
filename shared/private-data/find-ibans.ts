import { isAlphanumeric, isDigit, type Span, type TextReader } from './text-reader.ts';

/** The countries of the IBAN registry (SWIFT, ISO 13616) with the lengths of their numbers. */
const LENGTHS = new Map(
  (
    'AD24 AE23 AL28 AT20 AZ28 BA20 BE16 BG22 BH22 BI27 BR29 BY28 CH21 CR22 CY28 CZ24 DE22 DJ27 DK18 DO28 EE20 EG29 ES24 FI18 FK18 FO18 FR27 ' +
    'GB22 GE22 GI23 GL18 GR27 GT28 HN28 HR21 HU28 IE22 IL23 IQ23 IS26 IT27 JO30 KW30 KZ20 LB28 LC32 LI21 LT20 LU20 LV21 LY25 MC27 MD24 ME22 ' +
    'MK19 MN20 MR27 MT31 MU30 NI28 NL18 NO15 OM23 PK24 PL28 PS29 PT25 QA29 RO24 RS22 RU33 SA24 SC31 SD18 SE24 SI19 SK24 SM27 SO23 ST25 SV28 ' +
    'TL23 TN24 TR26 UA29 VA22 VG24 XK20 YE30'
  )
    .split(' ')
    .map((entry): readonly [string, number] => [entry.slice(0, 2), Number(entry.slice(2))]),
);

/** Finds IBANs with correct check digits, with or without spaces or dashes. */
export function findIbans(reader: TextReader): Span[] {
  const spans: Span[] = [];
  for (let place = 0; place + 1 < reader.text.length; place += 1) {
    if (isAlphanumeric(reader.at(place - 1)) || !isAlphanumeric(reader.at(place))) continue;
    const end = readIban(reader, place);
    if (end === undefined) continue;
    spans.push({ kind: 'iban', start: place, end });
    place = end - 1;
  }
  return spans;
}

function readIban(reader: TextReader, from: number): number | undefined {
  const country = reader.at(from) + reader.at(from + 1);
  const length = LENGTHS.get(country.toUpperCase());
  if (length === undefined) return undefined;
  let written = '';
  let place = from;
  while (written.length < length) {
    const character = reader.at(place);
    if (isAlphanumeric(character)) written += character;
    // One space or dash at a time.
    else if (!/^[ -]$/u.test(character) || !isAlphanumeric(reader.at(place - 1))) return undefined;
    place += 1;
  }
  return isAlphanumeric(reader.at(place)) || !hasCheckDigits(written.toUpperCase()) ? undefined : place;
}

/** ISO 7064 MOD 97-10: with the first four characters at the end and letters as numbers from 10 on, the remainder is 1. */
function hasCheckDigits(iban: string): boolean {
  if (!isDigit(iban.charAt(2)) || !isDigit(iban.charAt(3))) return false;
  let remainder = 0;
  for (const character of iban.slice(4) + iban.slice(0, 4)) {
    const value = Number.parseInt(character, 36);
    remainder = (remainder * (value > 9 ? 100 : 10) + value) % 97;
  }
  return remainder === 1;
}
