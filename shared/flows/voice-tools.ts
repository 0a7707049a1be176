import type { TurnRef } from '../conversation/index.ts';
import { type Locale, LOCALES, say } from '../texts/index.ts';
import { texts as transcribing } from './commands/transcribe.ts';
import type { Deps } from './ports.ts';
import { type FlowTool, ToolFailed, type ToolResult } from './tools.ts';
import { writeOut, type WriteOutDeps } from './write-out.ts';

type VoiceToolDeps = WriteOutDeps & Pick<Deps, 'platform'>;

/**
 * Lets the model have the recording written out, and translated, that a thread hangs on; the words of one that came with
 * a question are in the prompt. Only where a message can be looked up: in Slack.
 */
export function voiceTools(turn: TurnRef, rootIsOurs: boolean, deps: VoiceToolDeps): readonly FlowTool[] {
  const { thread, message } = turn;
  const offered = deps.hearing && thread.platform === 'slack' && message !== thread.root && !rootIsOurs;
  return offered ? [transcribe(turn, deps)] : [];
}

function transcribe(turn: TurnRef, deps: VoiceToolDeps): FlowTool {
  return {
    definition: {
      name: 'transcribe',
      description:
        'Has the voice message, clip or video that this thread hangs on written out below it, and translated if that is wanted. Of use only if its words are not in the conversation above.',
      parameters: {
        type: 'object',
        properties: { translate_to: { type: 'string', enum: [...LOCALES] } },
      },
    },
    prepare: ({ translate_to: to }, locale) => {
      const language = LOCALES.find((one) => one === to);
      if (to !== undefined && !language)
        throw new ToolFailed(`“translate_to” has to be one of ${LOCALES.join(', ')}.`);
      return {
        title: say(locale, transcribing.onMessage),
        status: ['answers.status.thinking'],
        run: () => written(turn, language, locale, deps),
      };
    },
  };
}

async function written(
  { thread, message, asker: user, askerWorkspace: workspace }: TurnRef,
  to: string | undefined,
  locale: Locale,
  deps: VoiceToolDeps,
): Promise<ToolResult> {
  const root = await deps.platform.message?.(thread, thread.root);
  if (!root) throw new ToolFailed('The message cannot be read.');
  const key = `tool#${message}#${to ?? ''}`;
  const outcome = await writeOut({ message: root, by: { user, workspace }, key, to, locale }, deps);
  if (outcome.kind === 'refused') throw new ToolFailed(outcome.sentence, outcome.sentence);
  if (outcome.kind === 'known') {
    const words = await deps.hearing?.recordings.said(thread, thread.root);
    return {
      content: `It says: ${words ?? ''}`,
      summary: say(locale, 'voice.already', { link: outcome.link }),
    };
  }
  return {
    content:
      'It is being written out below the message, which takes a while. Tell the person so in a sentence; they can ask about it once the words are there.',
    summary: say(locale, 'voice.queued'),
  };
}
