import { describe, expect, test } from '@jest/globals';
import { addKey, listKeys, removeKey, rotateKey } from '../../../../infra/parley/keys/key-store.ts';
import { getKeyFingerprint } from '../../../../shared/aws/index.ts';
import { OperatorError } from '../../../../infra/parley/operator-error.ts';

const OLD = 'sk-old-key-0001';
const NEW = 'sk-new-key-0002';
const [SIGNING, NEXT] = ['ab'.repeat(16), 'cd'.repeat(16)];

describe('API keys', () => {
  test('are listed by fingerprint, with their ends, and never by value', () => {
    const content = { apiKey: NEW, more: [OLD], until: { [getKeyFingerprint(OLD)]: 5 } };
    const rows = listKeys('models', content);
    expect(rows).toEqual([
      { kind: 'models', role: 'current', fingerprint: getKeyFingerprint(NEW), until: undefined },
      { kind: 'models', role: 'additional', fingerprint: getKeyFingerprint(OLD), until: 5 },
    ]);
    expect(JSON.stringify(rows)).not.toContain('sk-');
    expect(listKeys('models', { apiKey: 'to be filled in' })).toEqual([]);
  });

  test('are added beside the others, once, and replace the placeholder', () => {
    expect(addKey('models', { apiKey: OLD, other: 1 }, NEW)).toEqual({ apiKey: OLD, more: [NEW], other: 1 });
    expect(addKey('models', { apiKey: OLD, more: [NEW] }, NEW)).toEqual({ apiKey: OLD, more: [NEW] });
    expect(addKey('models', { apiKey: 'to be filled in' }, NEW)).toEqual({ apiKey: NEW });
  });

  test('that are added again after a rotation have no end any more', () => {
    const rotated = rotateKey('models', { apiKey: OLD }, NEW, 9);
    expect(addKey('models', rotated, OLD)).toEqual({ apiKey: NEW, more: [OLD] });
  });

  test('are rotated: the former one counts until the end of the overlap, and a repetition changes nothing', () => {
    const rotated = rotateKey('models', { apiKey: OLD, more: ['sk-another-key'] }, NEW, 9);
    expect(rotated).toEqual({
      apiKey: NEW,
      more: ['sk-another-key', OLD],
      until: { [getKeyFingerprint(OLD)]: 9 },
    });
    expect(rotateKey('models', rotated, NEW, 99)).toBe(rotated);
  });

  test('are rotated back without an end', () => {
    const rotated = rotateKey('models', { apiKey: OLD }, NEW, 9);
    expect(rotateKey('models', rotated, OLD, 12)).toEqual({
      apiKey: OLD,
      more: [NEW],
      until: { [getKeyFingerprint(NEW)]: 12 },
    });
  });

  test('are removed by fingerprint, except the last one', () => {
    const rotated = rotateKey('models', { apiKey: OLD }, NEW, 9);
    expect(removeKey('models', rotated, getKeyFingerprint(OLD))).toEqual({ apiKey: NEW });
    expect(removeKey('models', rotated, getKeyFingerprint(NEW))).toEqual({ apiKey: OLD });
    expect(() => removeKey('models', { apiKey: OLD }, getKeyFingerprint(OLD))).toThrow('only API key');
    expect(() => removeKey('models', rotated, 'ffff')).toThrow('no key with this fingerprint');
  });

  test.each(['short', 'with space in it', 'x'.repeat(513)])('%s is refused', (key) => {
    expect(() => addKey('models', {}, key)).toThrow('no API key');
  });
});

test.each([
  ['models', { apiKey: NEW, more: OLD }],
  ['models', { apiKey: [OLD] }],
  ['models', { apiKey: NEW, until: OLD }],
  ['slack', { current: NEXT, previous: [SIGNING] }],
  ['slack', { current: NEXT, previousUntil: SIGNING }],
] as const)('a malformed secret of %s is rejected without any of it, whatever is done', (kind, content) => {
  const key = kind === 'slack' ? 'ef'.repeat(16) : 'sk-next-key-0003';
  const rejection = new OperatorError(
    'The secret does not have the form that docs/runbook.md#change-a-credential describes. Correct it by hand.',
  );
  const actions = [
    () => listKeys(kind, content),
    () => rotateKey(kind, content, key, 9),
    () => removeKey(kind, content, 'ffff'),
    ...(kind === 'models' ? [() => addKey(kind, content, key)] : []),
  ];
  for (const act of actions) expect(act).toThrow(rejection);
});

describe('the signing secret', () => {
  test('is rotated with an end for the former one', () => {
    const rotated = rotateKey('slack', { current: SIGNING }, NEXT, 9);
    expect(rotated).toEqual({ current: NEXT, previous: SIGNING, previousUntil: 9 });
    expect(listKeys('slack', rotated)).toMatchObject([{ role: 'current' }, { role: 'previous', until: 9 }]);
    expect(removeKey('slack', rotated, getKeyFingerprint(SIGNING))).toEqual({ current: NEXT });
    expect(() => removeKey('slack', rotated, getKeyFingerprint(NEXT))).toThrow('rotate it');
  });

  test('that a deployment begins with is no key, and is not kept', () => {
    expect(listKeys('slack', { current: 'Zx9'.repeat(11) })).toEqual([]);
    expect(rotateKey('slack', { current: 'Zx9'.repeat(11) }, NEXT, 9)).toEqual({ current: NEXT });
  });

  test('has 32 hexadecimal characters, and there is one', () => {
    expect(() => rotateKey('slack', {}, 'xoxb-123456789', 9)).toThrow('no signing secret');
    expect(() => addKey('slack', {}, NEXT)).toThrow('rotate slack');
  });
});
