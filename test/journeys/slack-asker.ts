import type { Message } from '../simulators/slack/index.ts';
import { answersIn, botMessages, type JourneyHarness, queuesAreEmpty } from './harness.ts';

/** The results of a question. */
export type Asked = {
  readonly answer: string;
  /** The chat requests for it, in order. */
  readonly sent: readonly { readonly body: unknown; readonly status: number | undefined }[];
  /** The card of `why`, as JSON. */
  readonly why: string;
};

/** A system with a simulated Slack, and the requests that its model server received. */
export type AskerJourney = Pick<JourneyHarness, 'slack' | 'system'> & {
  readonly upstream: {
    readonly journal: readonly {
      readonly n: number;
      readonly path: string;
      readonly body: unknown;
      readonly status?: number | undefined;
    }[];
  };
};

/** Asks and types commands as Ada in the simulated Slack. */
export function slackAsker(journey: () => AskerJourney) {
  const ephemeral = (): Message[] => {
    const { slack } = journey();
    return [...(slack.core.state.messages.get(slack.channel)?.values() ?? [])].filter(
      ({ ephemeralTo }) => ephemeralTo !== undefined,
    );
  };
  const nextCard = async (act: () => Promise<unknown>): Promise<string> => {
    const before = ephemeral().length;
    await act();
    const card = await journey().slack.core.until(() => ephemeral()[before]);
    return JSON.stringify([card.text, card.blocks]);
  };

  /** Types a command, and resolves with the ephemeral response as JSON. */
  const typed = (words: string): Promise<string> => nextCard(() => journey().slack.command('ada', words));

  /** The card of `why` for an answer. */
  const why = async (ts: string): Promise<string> => {
    const { slack } = journey();
    await slack.shortcut('ada', 'more-actions', ts);
    await slack.core.until(() => [...slack.core.state.views.values()].find(({ kind }) => kind === 'modal'));
    return nextCard(() => slack.submit('ada', { action: 'why' }));
  };

  /** The chat requests that this causes. */
  const sentFor = async (act: () => Promise<unknown>): Promise<Asked['sent']> => {
    const { upstream } = journey();
    const from = upstream.journal.at(-1)?.n ?? 0;
    await act();
    return upstream.journal
      .filter(({ n, path }) => n > from && path.endsWith('/chat/completions'))
      .map(({ body, status }) => ({ body, status }));
  };

  /** Asks in a thread of its own. `more`: options of the simulated message, such as its files. */
  const ask = async (question: string, more: object = {}): Promise<Asked> => {
    const { slack, system } = journey();
    let thread = '';
    const sent = await sentFor(async () => {
      thread = await slack.say('ada', `@parley ${question}`, more);
      await answersIn(slack, thread);
      await queuesAreEmpty(system);
    });
    const [answer] = botMessages(slack, thread);
    return { answer: answer?.text ?? '', sent, why: await why(answer?.ts ?? '') };
  };

  return { typed, ask, why, sentFor };
}
