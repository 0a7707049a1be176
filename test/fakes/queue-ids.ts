/** Throws if SQS would reject an id of a message: it has 1 to 128 visible ASCII characters. Source: docs.aws.amazon.com/AWSSimpleQueueService, SendMessage. */
export function checkQueueIds(...ids: readonly string[]): void {
  for (const id of ids) if (!/^[\x21-\x7e]{1,128}$/u.test(id)) throw new Error(`SQS rejects this id: ${id}`);
}
