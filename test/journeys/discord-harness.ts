import { expect } from '@jest/globals';
import type { LocalOptions } from '../../infra/local/system.ts';
import {
  readValue,
  readId,
  readList,
  readNumber,
  readString,
} from '../../shared/platforms/discord/api/json-path.ts';
import type { Fault, SeenCall } from '../simulators/discord/index.ts';
import type { DiscordSimulator } from '../simulators/discord/index.ts';
import { dataFolder, type JourneyHarness, startJourneyHarness } from './harness.ts';

/** A message as a person sees it. */
export type VisibleMessage = { readonly id: string; readonly text: string; readonly one: unknown };

/**
 * The whole system with a simulated Discord, whose clock can be advanced; every body is validated against Discord's
 * specification.
 */
export type DiscordHarness = {
  /** The folder of all data of the system. */
  readonly folder: string;
  readonly journey: () => JourneyHarness;
  readonly discord: () => DiscordSimulator;
  /** The bot's messages that a person sees in a channel, oldest first. */
  visibleMessages(as: string, channel?: string): VisibleMessage[];
  /** Those with the buttons of a finished answer, once there are this many. */
  answers(as: string, count: number, channel?: string): Promise<VisibleMessage[]>;
  /** The latest message of the bot with this text, once there is one. */
  once(as: string, words: RegExp, channel?: string): Promise<VisibleMessage>;
  /** Advances the simulated Discord's clock (ms); its ids never decrease. */
  setAhead(ms: number): void;
  fault(fault: Fault): void;
  /** Stops the system, and starts it again on the same data. */
  restart(): Promise<void>;
  /** Stops everything. Fails if Discord rejected a body of the system. */
  close(): Promise<void>;
};

export async function startDiscordHarness(options: Partial<LocalOptions> = {}): Promise<DiscordHarness> {
  const folder = dataFolder();
  let ahead = 0;
  const begin = () =>
    startJourneyHarness(folder.path, {
      relay: true,
      ...options,
      discord: {
        shared: process.env['PARLEY_SHARED'],
        insistOnUserAgent: true,
        clock: () => Date.now() + ahead,
        ...options.discord,
      },
    });
  let journey = await begin();
  const discord = (): DiscordSimulator => {
    const { simulator } = journey.system.discord;
    if (!simulator) throw new Error('Discord is real');
    return simulator;
  };
  const { applicationId } = discord();
  const visibleMessages: DiscordHarness['visibleMessages'] = (as, channel) =>
    discord()
      .core.messages(channel, as)
      .filter((one) => readId(one, 'author', 'id') === applicationId)
      .map((one) => ({ id: readId(one, 'id') ?? '', text: readString(one, 'content') ?? '', one }));
  /** Malformed or careless requests, without those that a test made Discord refuse. */
  const malformed = (): unknown[] =>
    discord().calls.filter((call) => call.code === 50_035 || isCareless(call));
  return {
    folder: folder.path,
    journey: () => journey,
    discord,
    visibleMessages,
    answers: (as, count, channel) =>
      discord().core.until(() => {
        const buttons = visibleMessages(as, channel).filter(
          ({ one }) => button(one, 'press.regenerate') !== '',
        );
        return buttons.length >= count ? buttons : undefined;
      }),
    once: (as, words, channel) =>
      discord().core.until(() =>
        visibleMessages(as, channel).findLast(({ one }) => words.test(JSON.stringify(one))),
      ),
    setAhead: (ms) => {
      ahead = ms;
    },
    fault: (fault) => void discord().faults.add(fault),
    async restart() {
      await journey.system.close();
      journey = await begin();
    },
    async close() {
      const wrong = malformed();
      await journey.system.close();
      folder.remove();
      expect(wrong).toEqual([]);
    },
  };
}

/**
 * Whether a message was sent in a way that might ping people or unfurl links of a model, or by the bot's token
 * without a nonce that prevents duplicates.
 */
function isCareless({ route, json }: SeenCall): boolean {
  if (!/^(?:POST|PATCH) .*\/(?:messages(?:\/[^/]+)?|\{webhook_token\})$/u.test(route)) return false;
  const mayCall =
    readList(json, 'allowed_mentions', 'parse').length > 0 || !readValue(json, 'allowed_mentions');
  const unfolds = readString(json, 'content') !== undefined && ((readNumber(json, 'flags') ?? 0) & 4) === 0;
  const mayDouble = route.startsWith('POST /channels') && readValue(json, 'enforce_nonce') !== true;
  return mayCall || unfolds || mayDouble;
}

/** The id of the first control of a message whose id contains this; empty if there is none. */
export function button(one: unknown, part: string): string {
  const flat = (of: unknown): string[] =>
    readList(of, 'components').flatMap((each) => [readString(each, 'custom_id') ?? '', ...flat(each)]);
  return flat(one).find((id) => id.includes(part)) ?? '';
}
