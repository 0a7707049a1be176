import { CardRefused } from '../../platforms/platform.ts';
import { isSilent, resolve } from '../../settings/index.ts';
import { say } from '../../texts/index.ts';
import { heldBy } from './change.ts';
import type { Deps, Verdict } from '../ports.ts';
import { receive } from '../receive.ts';
import { completed } from './complete.ts';
import { fillIn } from './filled.ts';
import { type AnyCall, type CalledCommand, DONE, type Run, tell, words } from './run.ts';
import { BOTH, type CommandSpec, LONGEST_OPTION } from './spec.ts';

export const spec: CommandSpec = {
  name: 'ask',
  title: 'commands.ask.name',
  platforms: BOTH,
  answers: 'public',
  about: 'commands.ask.about',
  options: [
    {
      name: 'question',
      kind: 'text',
      required: true,
      most: LONGEST_OPTION,
      rest: true,
    },
    { name: 'private', kind: 'yes-no' },
    { name: 'model', kind: 'text', most: 100, suggests: 'model' },
    { name: 'schema', kind: 'text', most: 60, suggests: 'schema' },
    { name: 'attachment', kind: 'attachment', types: [] },
  ],
};

/** Asks: in the open, where it begins a thread with memory; privately, once, kept nowhere; or for a filled form. */
export const run: Run<CalledCommand> = (called, deps, delivery) => {
  const { schema, private: secret } = called.options;
  const [question, model] = [String(called.options['question']), modelIn(called)];
  if (isSilent(deps.settings.layers))
    return tell(called, words(say(called.locale, 'settings.refused.silent'), 'bad'), deps);
  const { value, lock } = resolve('model', deps.settings.layers);
  if (lock && model !== undefined && model !== value)
    return tell(called, words(heldBy(lock, called.locale), 'bad'), deps);
  if (schema !== undefined) return fillIn(called, deps, delivery, { question, model, name: String(schema) });
  return secret === true
    ? completed(called, deps, delivery, question, model)
    : askOpenly(called, deps, question, called.call.attachments);
};

function modelIn({ options }: CalledCommand): string | undefined {
  return options['model'] === undefined ? undefined : String(options['model']);
}

/** Begins a thread with a question, for all to see. */
export async function askOpenly(
  called: AnyCall,
  deps: Deps,
  question: string,
  attachments: CalledCommand['call']['attachments'] = [],
): Promise<Verdict> {
  const { invocation, locale } = called;
  try {
    const turn = await deps.stage.begin(invocation, { ...words(question), by: invocation.by.user });
    const { thread, message: id, asker: author, askerWorkspace: authorWorkspace } = turn;
    const message = { thread, id, author, authorWorkspace, text: question, attachments };
    // In line with its own thread: what is said there meanwhile waits behind it.
    await receive(
      { ...message, addressed: 'mention' },
      { ...deps, voice: deps.hearing?.queue, now: deps.time.now },
    );
    return DONE;
  } catch (error) {
    if (!(error instanceof CardRefused)) throw error;
    return tell(called, words(say(locale, 'commands.ask.no-room'), 'bad'), deps);
  }
}
