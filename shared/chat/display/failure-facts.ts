import type { FailureFacts } from '../../domain/index.ts';
import { type Locale, localize } from '../../i18n/index.ts';
import { UpstreamError } from '../../upstream/index.ts';

/** Longer codes and ids say nothing more. */
const MAX_FACT_CHARS = 200;

/** What the upstream says about a failure, for logs and for `why`. Empty for other errors. Never holds a key. */
export function failureFacts(error: unknown): FailureFacts {
  if (!(error instanceof UpstreamError)) return {};
  const { status, code, param, requestId } = error;
  const facts = { status, code: shorten(code), param: shorten(param), requestId: shorten(requestId) };
  return Object.fromEntries(Object.entries(facts).filter(([, value]) => value !== undefined));
}

const shorten = (text: string | undefined): string | undefined => text?.slice(0, MAX_FACT_CHARS);

/** Formats the status, code and field of a failure as the operator of the server knows them; undefined if there are none. */
export function formatFailureFacts({ status, code, param }: FailureFacts = {}): string | undefined {
  const facts = [
    ...(status === undefined ? [] : [`HTTP ${status}`]),
    ...(code === undefined ? [] : [code]),
    ...(param === undefined ? [] : [`param ${param}`]),
  ];
  return facts.length > 0 ? facts.join(' · ') : undefined;
}

/** The note below a failure on a card, in Markdown: its facts and the request id. Undefined if there are none. */
export function failureDetails(facts: FailureFacts, locale: Locale): string | undefined {
  const { requestId } = facts;
  const known = [formatFailureFacts(facts), requestId && `request ${requestId}`].filter(Boolean).join(' · ');
  if (known === '') return undefined;
  return localize(locale, 'answers.failure.details', { facts: `\`${known.replaceAll(/[`\s]+/gu, ' ')}\`` });
}
