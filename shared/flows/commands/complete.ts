import { channelId, type Completion, type PromptMessage, promptFor } from '../../conversation/index.ts';
import { say } from '../../texts/index.ts';
import { paid } from '../paid.ts';
import type { ChatOptions, Delivery, Deps, Verdict } from '../ports.ts';
import { LimitedRequest } from '../request.ts';
import { explain } from '../sentences.ts';
import { askedBy } from '../slot.ts';
import { type AnyCall, tell, words } from './run.ts';

/** Asks the model once, and answers for who called alone. Nothing of it is kept. */
export function completed(
  called: AnyCall,
  deps: Deps,
  delivery: Delivery,
  question: string,
  model?: string,
): Promise<Verdict> {
  return answeringFailures(called, deps, delivery, async () => {
    const prompt = promptFor(deps.settings.systemPrompt, [], question);
    const text = await complete(prompt, called, deps, delivery, { model });
    return tell(called, words(text.trim() || say(called.locale, 'answers.empty')), deps);
  });
}

/** Does this; where a model fails at it, who called is told so, or it is tried again later. */
export async function answeringFailures(
  called: AnyCall,
  deps: Deps,
  delivery: Delivery,
  ask: () => Promise<Verdict>,
): Promise<Verdict> {
  try {
    return await ask();
  } catch (error) {
    const failure = explain(error, {
      now: deps.time.now(),
      zone: deps.settings.zone,
      locale: called.locale,
    });
    if (!failure) throw error;
    const { retryAfterMs } = failure;
    if (retryAfterMs !== undefined && !delivery.last) return { kind: 'later', afterMs: retryAfterMs };
    return tell(called, words(failure.sentence, 'bad'), deps);
  }
}

/** How one completion is asked for. `nth` tells several of one call apart, also when the call is delivered again. */
type Wish = Pick<ChatOptions, 'model' | 'format'> & { readonly nth?: number | string };

/** The words of one completion. Rejects as `completion` does. */
export const complete = async (...asked: Parameters<typeof completion>): Promise<string> =>
  (await completion(...asked)).text;

/** One completion, whole. Rejects as `Chat.stream` does, and with NoSlot. */
export async function completion(
  prompt: readonly PromptMessage[],
  { invocation }: AnyCall,
  deps: Deps,
  delivery: Delivery,
  { model, format, nth = 1 }: Wish,
): Promise<Completion> {
  const { signal } = new AbortController();
  const { platform, workspace, channel = channelId('none'), by } = invocation;
  const ask = askedBy({ platform, workspace }, by.user);
  const request = new LimitedRequest({ deps, delivery, signal, ask });
  try {
    const models = await request.models(model);
    const limits = { ...request.options, signal, deadline: delivery.deadline };
    const events = paid(
      prompt,
      { ...models, ...limits, format },
      {
        deps,
        id: nth === 1 ? invocation.id : `${invocation.id}.${nth}`,
        thread: { platform, workspace, channel },
        person: by.user,
        sent: () => request.sent,
      },
    );
    for await (const event of events) {
      if (event.type === 'end') return event;
    }
  } finally {
    await request.end();
  }
  throw new Error('the completion ended without an end');
}
