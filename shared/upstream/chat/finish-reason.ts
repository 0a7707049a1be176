/** Words with which servers end an answer that they could not complete: vLLM and SGLang (`abort`), DeepSeek, Zhipu, Gemini (a call without a form). */
const FAILED_REASONS: ReadonlySet<string> = new Set([
  'error',
  'abort',
  'insufficient_system_resource',
  'network_error',
  'function_call_filter',
  'MALFORMED_FUNCTION_CALL',
]);

/** Other words of servers for reasons of the format: Mistral, TGI, Together, gateways in front of Anthropic and Gemini, Zhipu. */
const REASON_BY_WORD: ReadonlyMap<string, string> = new Map([
  ['eos', 'stop'],
  ['eos_token', 'stop'],
  ['stop_sequence', 'stop'],
  ['end', 'stop'],
  ['end_turn', 'stop'],
  ['STOP', 'stop'],
  ['model_length', 'length'],
  ['max_tokens', 'length'],
  ['MAX_TOKENS', 'length'],
  ['SAFETY', 'content_filter'],
  ['PROHIBITED_CONTENT', 'content_filter'],
  ['RECITATION', 'content_filter'],
  ['BLOCKLIST', 'content_filter'],
  ['SPII', 'content_filter'],
  ['sensitive', 'content_filter'],
]);

/** Gemini adds why: `content_filter: RECITATION`. */
const withoutDetails = (word: string): string =>
  word.replace(/^(content_filter|function_call_filter):.*$/su, '$1');

/** Whether the server ended the answer because it failed. */
export const isFailedReason = (word: string | undefined): boolean =>
  word !== undefined && FAILED_REASONS.has(withoutDetails(word));

/** Returns the format's word for a `finish_reason`; unknown words stay. */
export function toFinishReason(word: string | undefined): string | undefined {
  if (word === undefined) return undefined;
  const reason = withoutDetails(word);
  return REASON_BY_WORD.get(reason) ?? reason;
}

/** Reasons of the format for an answer that is not whole: a limit or a filter cut it. */
const INCOMPLETE_REASONS: ReadonlySet<string> = new Set(['length', 'context', 'content_filter']);

/** Whether a limit or a filter cut the answer. A tool call in it may lack a part of its arguments, or all of them. */
export const isIncompleteReason = (word: string | undefined): boolean =>
  word !== undefined && INCOMPLETE_REASONS.has(word);
