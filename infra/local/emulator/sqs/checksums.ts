import { createHash } from 'node:crypto';
import type { MessageAttribute } from './fifo.ts';

/** MD5 like SQS; the AWS client rejects a message whose body does not match. */
export function md5(text: string | Buffer): string {
  return createHash('md5').update(text).digest('hex');
}

/**
 * MD5 of message attributes: name, type, one byte for the kind of value, and value, each with a four-byte length, in name order
 * (SQS Developer Guide, "Calculating the MD5 message digest for message attributes").
 */
export function hashAttributes(attributes: Readonly<Record<string, MessageAttribute>>): string | undefined {
  const names = Object.keys(attributes).toSorted();
  if (names.length === 0) return undefined;
  const parts = names.flatMap((name) => {
    const attribute = attributes[name];
    if (attribute === undefined) return [];
    const isBinary = attribute.BinaryValue !== undefined;
    const value = isBinary
      ? Buffer.from(attribute.BinaryValue ?? '', 'base64')
      : Buffer.from(attribute.StringValue ?? '');
    const kind = Buffer.from([isBinary ? 2 : 1]);
    return [
      ...withLength(Buffer.from(name)),
      ...withLength(Buffer.from(attribute.DataType)),
      kind,
      ...withLength(value),
    ];
  });
  return md5(Buffer.concat(parts));
}

function withLength(value: Buffer): [Buffer, Buffer] {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(value.length);
  return [length, value];
}
