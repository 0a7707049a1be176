import { describe, expect, test } from '@jest/globals';
import { kmsOperations } from '../../infra/local/emulator/kms.ts';
import type { AwsCall } from '../../shared/aws/aws-request.ts';
import { kmsEncryptor, DecryptionFailed } from '../../shared/aws/kms-encryption.ts';

const ARN = 'arn:aws:kms:us-east-1:000000000000:key/Seal';
const operations = kmsOperations([{ arn: ARN }], 'secret of this folder');
const aws: AwsCall = async ({ target, input }) =>
  operations[target]?.(JSON.parse(input), new AbortController().signal);

describe('what is sealed', () => {
  const sealer = kmsEncryptor(ARN, aws);

  test('opens again, also after a restart, and does not show what it holds', async () => {
    const sealed = await sealer.seal('xoxb-tøken', 'slack-install#T1');
    expect(Buffer.from(sealed).toString('latin1')).not.toContain('xoxb');
    const again = kmsOperations([{ arn: ARN }], 'secret of this folder');
    const later = kmsEncryptor(ARN, async ({ target, input }) =>
      again[target]?.(JSON.parse(input), new AbortController().signal),
    );
    expect(await later.open(sealed, 'slack-install#T1')).toBe('xoxb-tøken');
  });

  test('opens for its own purpose alone, and not when it was altered', async () => {
    const sealed = await sealer.seal('xoxb-token', 'slack-install#T1');
    await expect(sealer.open(sealed, 'slack-install#T2')).rejects.toThrow('ciphertext');
    const altered = Uint8Array.from(sealed, (byte, index) => (index === sealed.length - 1 ? byte ^ 1 : byte));
    await expect(sealer.open(altered, 'slack-install#T1')).rejects.toThrow('ciphertext');
  });

  test('is refused by another key, when empty, and when longer than 4,096 bytes', async () => {
    await expect(kmsEncryptor('arn:other', aws).seal('x', 'a')).rejects.toThrow('does not exist');
    await expect(sealer.seal('', 'a')).rejects.toThrow('4096');
    await expect(sealer.seal('x'.repeat(4_097), 'a')).rejects.toThrow('4096');
  });

  test('an answer that is not of KMS is told as such', async () => {
    const odd = kmsEncryptor(ARN, () => Promise.resolve({ hello: 'there' }));
    await expect(odd.seal('x', 'a')).rejects.toThrow(DecryptionFailed);
    await expect(odd.open(new Uint8Array(3), 'a')).rejects.toThrow(DecryptionFailed);
  });
});
