import * as v from 'valibot';
import { type Commands, contentOf } from './commands.ts';
import { answersTo, type Expectation, question } from './expectation.ts';
import type { Services } from './services.ts';
import { soon, untilTaken } from './waiting.ts';

/** For so long somebody waits until they can ask about what was added. */
const ASK_MS = 300_000;
const OPENS_MS = 3_000;

const prompt = v.object({ messages: v.array(v.object({ role: v.string(), content: v.unknown() })) });

/** Documents and facts that people add in the simulated Slack, and the question that has to find them. */
export class KnowledgeLoad {
  readonly #services: Services;
  readonly #commands: Commands;

  constructor(services: Services, commands: Commands) {
    this.#services = services;
    this.#commands = commands;
  }

  /** What administrators turn on first. */
  async prepare(): Promise<void> {
    await this.#commands.need(
      'ada',
      'settings tools knowledge for:workspace',
      /knowledge \(the workspace\)/u,
    );
    await this.#commands.need('ada', 'settings memory on for:workspace', /on \(the workspace\)/u);
  }

  /** A message that a person adds to the knowledge of the channel: a search finds it, once. */
  async document(mark: string): Promise<Expectation> {
    const { slack } = this.#services;
    const person = this.#services.newcomer();
    const id = slack.users.find(({ name }) => name === person)?.id;
    const passage = `The tide of ${mark} is at noon.`;
    const ts = await slack.say('grace', `Rules of ${mark}\n${passage}`);
    const isOpen = (): boolean =>
      [...slack.core.state.views.values()].some(({ kind, user }) => kind === 'modal' && user === id);
    const isTaken = await untilTaken(async () => {
      if (!isOpen()) await slack.shortcut(person, 'more-actions', ts);
      if (!(await soon(isOpen, OPENS_MS))) return { acknowledged: false };
      return slack.submit(person, { action: 'knowledge' });
    });
    const words = `[[sim:tool=search_knowledge]] tide ${mark}`;
    const isAdded = (): boolean => this.#commands.shows(person, 'is added');
    const query = this.#askLater(person, words, isTaken, isAdded);
    return {
      what: `document ${mark} of ${person} (${ts})`,
      accepted: () => Number(isTaken),
      wrong: () => {
        if (!isTaken) return undefined;
        if (!isAdded()) return `not added: ${this.#cardsOf(person)}`;
        const results = this.#prompts(words).filter((one) => one.at(-1)?.role === 'tool');
        const times = results.map((one) => count(one.at(-1)?.content, passage));
        const answers = this.#answers(query.ts()).length;
        return times.length > 0 && times.every((one) => one === 1) && answers === 1
          ? undefined
          : `found ${times.join(', ')} times; ${answers} answers to the question about it (${query.ts()})`;
      },
    };
  }

  /** A fact that a person lets the bot remember: their next question comes with it, once. */
  async fact(mark: string): Promise<Expectation> {
    const person = this.#services.newcomer();
    const fact = `The heron of ${mark} is grey`;
    const isOn = await this.#commands.typeUntilTaken(person, 'memory on');
    const isReady = isOn && (await soon(() => this.#commands.shows(person, 'memory add')));
    const isTaken = isReady && (await this.#commands.typeUntilTaken(person, `memory add ${fact}`));
    const words = question(mark);
    const isAdded = (): boolean => this.#commands.shows(person, fact);
    const query = this.#askLater(person, words, isTaken, isAdded);
    return {
      what: `fact ${mark} of ${person}`,
      accepted: () => Number(isOn) + Number(isTaken),
      wrong: () => {
        if (isOn && !this.#commands.shows(person, 'memory add')) return `not on: ${this.#cardsOf(person)}`;
        if (!isTaken) return undefined;
        if (!isAdded()) return `not added: ${this.#cardsOf(person)}`;
        const times = this.#prompts(words).map((one) => count(one, fact));
        const { whole, half } = answersTo(this.#answers(query.ts()), mark);
        return times.length > 0 && times.every((one) => one === 1) && whole === 1 && half === 0
          ? undefined
          : `remembered ${times.join(', ')} times; ${whole} whole and ${half} half answers (${query.ts()})`;
      },
    };
  }

  /** Asks once this is added. */
  #askLater(
    person: string,
    words: string,
    isTaken: boolean,
    isAdded: () => boolean,
  ): { readonly ts: () => string | undefined } {
    let accepted: string | undefined;
    const ask = async (): Promise<void> => {
      if (!(await soon(isAdded, ASK_MS))) return;
      for (const end = performance.now() + ASK_MS; accepted === undefined && performance.now() < end;) {
        const { ts, isAccepted } = await this.#commands.ask(person, () => words);
        if (isAccepted) accepted = ts;
      }
    };
    if (isTaken) void ask();
    return { ts: () => accepted };
  }

  /** The messages of each prompt about these words. */
  #prompts(words: string): v.InferOutput<typeof prompt>['messages'][] {
    return this.#services.upstream.journal.flatMap(({ body }) => {
      const { messages = [] } = v.parse(v.fallback(v.optional(prompt), undefined), body) ?? {};
      const query = messages.findLast(({ role }) => role === 'user');
      return query && JSON.stringify(query.content).includes(words) ? [messages] : [];
    });
  }

  /** The finished messages below a question. */
  #answers(thread: string | undefined): string[] {
    const { core, channel, botUserId } = this.#services.slack;
    return [...(core.state.messages.get(channel)?.values() ?? [])]
      .filter((one) => one.thread === thread && one.user === botUserId && one.ephemeralTo === undefined)
      .filter(({ stream }) => stream?.open !== true)
      .map(({ text }) => text);
  }

  #cardsOf(person: string): string {
    return this.#commands.cards(person).map(contentOf).join(' | ').slice(0, 300);
  }
}

/** How often a part of a prompt has these words. */
const count = (part: unknown, words: string): number => JSON.stringify(part ?? '').split(words).length - 1;
