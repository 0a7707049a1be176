import type { Thread } from '../../conversation/index.ts';
import { say } from '../../texts/index.ts';
import { sendExport } from '../export.ts';
import type { Deps, Verdict } from '../ports.ts';
import { type AnyCall, type Called, type CalledCommand, DONE, type Run, tell, words } from './run.ts';
import { BOTH, type CommandSpec, type MessageCommandSpec } from './spec.ts';
import { threadHere } from './thread-here.ts';

export const spec: CommandSpec = {
  name: 'export',
  platforms: BOTH,
  about: 'memory.export.about',
  options: [
    {
      name: 'what',
      kind: 'text',
      choices: ['me', 'thread'],
    },
  ],
};

/** Slack's commands do not say in which thread they were typed; an app has five such commands in Discord at most. */
export const onMessage: MessageCommandSpec = {
  name: 'export',
  label: 'Export thread',
  text: 'memory.export.label',
  platforms: ['slack'],
};

/** Hands over what is kept of whoever calls, or of this thread. Who sees a thread may have what is kept of it. */
export const run: Run<CalledCommand> = (called, deps) =>
  called.options['what'] === 'thread'
    ? ofThread(called, threadHere(called), deps)
    : begin(called, undefined, deps);

export const runOnMessage: Run<Called<'on-message'>> = (called, deps) =>
  ofThread(called, called.call.message.thread, deps);

function ofThread(called: AnyCall, thread: Thread | undefined, deps: Deps): Promise<Verdict> {
  if (!thread) return tell(called, words(say(called.locale, 'memory.nowhere'), 'bad'), deps);
  return begin(called, thread, deps);
}

async function begin(called: AnyCall, thread: Thread | undefined, deps: Deps): Promise<Verdict> {
  await tell(called, words(say(called.locale, 'memory.export.begun'), 'working'), deps);
  await sendExport(thread ? 'thread' : 'person', called.invocation, thread, deps.queue);
  return DONE;
}
