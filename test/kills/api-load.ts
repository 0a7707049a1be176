import { setTimeout as wait } from 'node:timers/promises';
import * as v from 'valibot';
import type { Message } from '../simulators/slack/index.ts';
import { answersTo, type Expectation, question } from './expectation.ts';
import type { Services } from './services.ts';
import { soon } from './slack-load.ts';

/** A program sends its question again for so long, as docs/api.md says: with the same idempotency key. */
const SEND_MS = 20_000;
const AGAIN_MS = 300;
/** How long adding the integration may take, on a machine that other programs use. */
const ADD_MS = 60_000;
/** For so long a program asks for its answer. */
const POLL_MS = 300_000;

const answerSchema = v.object({
  id: v.string(),
  status: v.picklist(['queued', 'in_progress', 'completed', 'failed']),
  thread: v.nullable(v.string()),
  answer: v.nullable(v.string()),
  error: v.unknown(),
});
type Answer = v.InferOutput<typeof answerSchema>;
type ApiRequest = {
  readonly method?: string;
  readonly body?: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** Questions of a program over the HTTP API, posted in a channel of the simulated Slack. */
export class ApiLoad {
  readonly #services: Services;
  readonly #api: string;
  #key = '';

  constructor(services: Services, api: string) {
    this.#services = services;
    this.#api = api;
  }

  /** An administrator adds the integration, whose key only they are shown. Rejects if that has no effect within a minute. */
  async addIntegration(): Promise<void> {
    const { slack } = this.#services;
    const key = (): string | undefined =>
      this.#posted()
        .map((one) => /parley_s_\w+/u.exec(contentOf(one))?.[0])
        .find((one) => one !== undefined);
    // A function that is loaded for the first time may acknowledge a command too late.
    for (const end = performance.now() + ADD_MS; key() === undefined;) {
      if (performance.now() > end) throw new Error('no integration was added');
      const { acknowledged } = await slack.command(
        'ada',
        '/parley integrations add program channels:#general',
      );
      await soon(() => key() !== undefined, acknowledged ? SEND_MS : AGAIN_MS);
    }
    this.#key = key() ?? '';
  }

  /** A question that is sent until it is accepted, and whose answer the program reads. */
  async ask(mark: string): Promise<Expectation> {
    const { slack } = this.#services;
    const body = JSON.stringify({ question: question(mark), channel: slack.channel, wait: 0 });
    let answer: Answer | undefined;
    for (const end = performance.now() + SEND_MS; performance.now() < end; await wait(AGAIN_MS)) {
      answer = await this.#request('', { method: 'POST', body, headers: { 'idempotency-key': mark } });
      if (answer) break;
    }
    if (answer) void this.#follow(answer, (newest) => (answer = newest));
    return {
      what: `API ${mark} (${answer?.id ?? 'not accepted'})`,
      accepted: () => Number(answer !== undefined),
      wrong: () => {
        const posts = this.#posted().filter((one) => contentOf(one).includes(`begin-${mark}.`));
        const questions = posts.filter(({ ts, thread }) => thread === undefined || thread === ts);
        const replies = posts.filter((one) => !questions.includes(one)).map(({ text }) => text);
        const { whole, half } = answersTo(replies, mark);
        const facts = `${answer?.status}, ${questions.length} questions, ${whole} whole and ${half} half answers; ${JSON.stringify(answer?.error)}`;
        if (questions.length > 1 || whole > 1 || half > 0) return facts;
        if (!answer) return undefined;
        const isTold = answersTo([answer.answer ?? ''], mark).whole === 1;
        return questions.length === 1 && whole === 1 && isTold ? undefined : facts;
      },
    };
  }

  /** Reads on until the answer has ended. */
  async #follow({ id }: Answer, tell: (newest: Answer) => void): Promise<void> {
    for (const end = performance.now() + POLL_MS; performance.now() < end; await wait(AGAIN_MS)) {
      const newest = await this.#request(`/${id}`);
      if (newest) tell(newest);
      if (newest?.status === 'completed' || newest?.status === 'failed') return;
    }
  }

  /** Undefined if the system is away, or asks to come again. Rejects if it refuses the request. */
  async #request(path: string, init: ApiRequest = {}): Promise<Answer | undefined> {
    const headers = {
      authorization: `Bearer ${this.#key}`,
      'content-type': 'application/json',
      ...init.headers,
    };
    const signal = AbortSignal.timeout(5_000);
    const response = await fetch(`${this.#api}/v1/ask${path}`, { ...init, headers, signal }).catch(
      () => undefined,
    );
    if (!response || response.status >= 500 || response.status === 429) return undefined;
    const text = await response.text().catch(() => '');
    if (!response.ok) throw new Error(`the API refused a request: ${response.status} ${text}`);
    return v.parse(v.fallback(v.optional(v.pipe(v.string(), v.parseJson(), answerSchema)), undefined), text);
  }

  #posted(): Message[] {
    const { core, channel, botUserId } = this.#services.slack;
    return [...(core.state.messages.get(channel)?.values() ?? [])].filter(({ user }) => user === botUserId);
  }
}

const contentOf = ({ text, blocks }: Message): string => JSON.stringify([text, blocks]);
