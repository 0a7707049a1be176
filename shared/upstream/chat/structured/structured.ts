import { MalformedAnswerError } from '../../errors.ts';
import { checkText } from './schema.ts';
import type { ChatRequest, Completion, JsonSchema } from '../types.ts';

/** A request for a value. */
export type StructuredRequest = Omit<ChatRequest, 'responseFormat' | 'tools' | 'toolChoice'> & {
  /** A name for the schema: letters, digits, `_` and `-`. */
  readonly name: string;
  readonly schema: JsonSchema;
};

export type Structured = {
  /** Fits the schema. */
  readonly value: unknown;
  /** Every completion that was made for it, in order: two when the first had to be repaired. All of them cost. */
  readonly completions: readonly Completion[];
};

/**
 * Asks for a value that fits a JSON schema, and checks that it does. An answer that does not fit is sent back once with
 * what is wrong with it. Rejects with MalformedAnswerError (`schema`) when the second does not fit either, and
 * (`length`) when the answer was cut at `maxTokens`, which asking again would not mend; `partialText` is the answer.
 */
export async function askStructured(
  { name, schema, ...rest }: StructuredRequest,
  complete: (request: ChatRequest) => Promise<Completion>,
): Promise<Structured> {
  const request: ChatRequest = {
    ...rest,
    responseFormat: { type: 'json_schema', name, schema, strict: true },
  };
  const first = await complete(request);
  const checked = checkText(first.text, schema);
  if (checked.ok) return { value: checked.value, completions: [first] };
  refuseCut(first);

  const complaint = `That does not fit the schema:\n${checked.complaints.join('\n')}\nAnswer again with the corrected JSON alone.`;
  const messages: ChatRequest['messages'] = [
    ...request.messages,
    { role: 'assistant', content: first.text },
    { role: 'user', content: complaint },
  ];
  const second = await complete({ ...request, messages });
  const again = checkText(second.text, schema);
  if (again.ok) return { value: again.value, completions: [first, second] };
  refuseCut(second);
  throw new MalformedAnswerError(`The answer does not fit the schema: ${again.complaints.join('; ')}`, {
    code: 'schema',
    requestId: second.requestId,
    partialText: second.text,
  });
}

function refuseCut({ finish, text, requestId }: Completion): void {
  if (finish !== 'length') return;
  throw new MalformedAnswerError('The answer was cut before its JSON was whole.', {
    code: 'length',
    requestId,
    partialText: text,
  });
}
