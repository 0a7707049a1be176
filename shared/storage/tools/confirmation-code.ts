import { createHash } from 'node:crypto';

/** No vowels and no characters that look alike: nobody reads a word or a wrong character. */
const ALPHABET = '23456789BCDFGHJKMNPQRSTVWXZ';
const LENGTH = 8;

/**
 * The code on the page to which a person returns from a server, such as `K7QP-2M9X`. They type it in the chat, so that a sign-in is theirs who began it
 * there: the link can be sent to somebody else, whose account it would connect. It follows from the code of the server, which only the browser
 * of the person who signed in gets, and not from the state, which is in the link. About 38 bits, for 15 minutes.
 */
export function createConfirmationCode(codeOfServer: string): string {
  const bytes = createHash('sha256').update(`confirmation of a sign-in: ${codeOfServer}`).digest();
  let rest = bytes.readBigUInt64BE();
  let code = '';
  for (let n = 0; n < LENGTH; n += 1) {
    code += ALPHABET[Number(rest % BigInt(ALPHABET.length))];
    rest /= BigInt(ALPHABET.length);
  }
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}

/** The code as a person typed it: in any case, with or without the dash. */
export function readConfirmationCode(typed: string): string {
  const code = typed.toUpperCase().replaceAll(/[^\dA-Z]/gu, '');
  return `${code.slice(0, LENGTH / 2)}-${code.slice(LENGTH / 2)}`;
}
