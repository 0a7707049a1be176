import { channelId, type PromptMessage, promptFor } from '../../conversation/index.ts';
import { CardRefused } from '../../platforms/platform.ts';
import { say } from '../../texts/index.ts';
import type { Delivery, Deps } from '../ports.ts';
import { LONGEST_ANSWER, paid } from '../paid.ts';
import { receive } from '../receive.ts';
import { explain } from '../sentences.ts';
import { LimitedRequest } from '../request.ts';
import { askedBy } from '../slot.ts';
import { type CalledCommand, DONE, type Run, tell, words } from './run.ts';
import { BOTH, type CommandSpec, LONGEST_OPTION } from './spec.ts';

export const spec: CommandSpec = {
  name: 'ask',
  platforms: BOTH,
  answers: 'public',
  about: 'commands.ask.about',
  options: [
    {
      name: 'question',
      about: 'commands.ask.question.about',
      kind: 'text',
      required: true,
      most: LONGEST_OPTION,
      rest: true,
    },
    { name: 'private', about: 'commands.ask.private.about', kind: 'yes-no' },
    { name: 'model', about: 'commands.ask.model.about', kind: 'text', most: 100, suggests: 'model' },
    { name: 'attachment', about: 'commands.ask.attachment.about', kind: 'attachment', types: [] },
  ],
};

/** Asks: in the open, where it begins a thread with memory; or privately, once, kept nowhere. */
export const run: Run<CalledCommand> = (called, deps, delivery) =>
  called.options['private'] === true ? askPrivately(called, deps, delivery) : askOpenly(called, deps);

async function askOpenly(called: CalledCommand, deps: Deps) {
  const { invocation, call, locale } = called;
  const question = String(called.options['question']);
  try {
    const turn = await deps.stage.begin(invocation, { ...words(question), by: invocation.by.user });
    const { thread, message: id, asker: author, askerWorkspace: authorWorkspace } = turn;
    const message = { thread, id, author, authorWorkspace, text: question, attachments: call.attachments };
    // In line with its own thread: what is said there meanwhile waits behind it.
    await receive({ ...message, addressed: 'mention' }, { ...deps, now: deps.time.now });
    return DONE;
  } catch (error) {
    if (!(error instanceof CardRefused)) throw error;
    return tell(called, words(say(locale, 'commands.ask.no-room'), 'bad'), deps);
  }
}

async function askPrivately(called: CalledCommand, deps: Deps, delivery: Delivery) {
  const { options, locale } = called;
  const prompt = promptFor(deps.settings.systemPrompt, [], String(options['question']));
  try {
    const text = await complete(prompt, called, deps, delivery);
    return await tell(called, words(text.trim() || say(locale, 'answers.empty')), deps);
  } catch (error) {
    const failure = explain(error, { now: deps.time.now(), zone: deps.settings.zone });
    if (!failure) throw error;
    const { retryAfterMs } = failure;
    if (retryAfterMs !== undefined && !delivery.last)
      return { kind: 'later' as const, afterMs: retryAfterMs };
    return tell(called, words(failure.sentence, 'bad'), deps);
  }
}

/** One completion, whole. Rejects as `Chat.stream` does, and with NoSlot. */
async function complete(
  prompt: readonly PromptMessage[],
  { invocation }: CalledCommand,
  deps: Deps,
  delivery: Delivery,
): Promise<string> {
  const { signal } = new AbortController();
  const { platform, workspace, channel = channelId('none'), by } = invocation;
  const ask = askedBy({ platform, workspace, channel }, by.user);
  const request = new LimitedRequest({ deps, delivery, signal, ask });
  try {
    const models = await request.models(undefined);
    const limits = { ...request.options, signal, deadline: delivery.deadline };
    const events = paid(() => deps.chat.stream(prompt, { ...models, ...limits }), {
      deps,
      call: {
        id: invocation.id,
        thread: { platform, workspace, channel },
        person: by.user,
        model: models.model ?? deps.chat.model ?? 'unknown',
        prompt,
        maxTokens: LONGEST_ANSWER,
      },
      sent: () => request.sent,
    });
    for await (const event of events) {
      if (event.type === 'end') return event.text;
    }
  } finally {
    await request.end();
  }
  throw new Error('the completion ended without an end');
}
