import { setTimeout as wait } from 'node:timers/promises';
import type { Message } from '../simulators/slack/index.ts';
import { type Answer, ApiProgram } from './api-program.ts';
import { type Commands, contentOf } from './commands.ts';
import { answersTo, type Expectation, question } from './expectation.ts';
import type { Services } from './services.ts';
import { soon } from './waiting.ts';

/** A program sends its question again for so long, as docs/api.md says: with the same idempotency key. */
const SEND_MS = 20_000;
const AGAIN_MS = 300;
/** For so long a program asks for its answer. */
const READ_MS = 300_000;

/** What a program knows of its question. */
type Asked = {
  answer?: Answer | undefined;
  /** What is wrong with what it was told: undefined before everything was read. */
  problem?: string | undefined;
};

/** Questions of a program over the HTTP API: posted in a channel of the simulated Slack, or in conversations of its own. */
export class ApiLoad {
  readonly #services: Services;
  readonly #commands: Commands;
  readonly #api: string;
  #program: ApiProgram;

  constructor(services: Services, commands: Commands, api: string) {
    this.#services = services;
    this.#commands = commands;
    this.#api = api;
    this.#program = new ApiProgram(api, '');
  }

  /** An administrator adds the integration, whose key only they are shown. */
  async prepare(): Promise<void> {
    const words = 'integrations add program channels:#general';
    this.#program = new ApiProgram(this.#api, await this.#commands.need('ada', words, /parley_s_\w+/u));
  }

  /** A question in a channel, which is sent until it is accepted, and whose answer the program asks for. */
  async ask(mark: string): Promise<Expectation> {
    const body = { question: question(mark), channel: this.#services.slack.channel, wait: 0 };
    const query: Asked = {};
    for (const end = performance.now() + SEND_MS; performance.now() < end; await wait(AGAIN_MS)) {
      const { status, answer } = await this.#program.ask(body, mark);
      if (isRefusal(status)) query.problem = `refused with ${status}`;
      query.answer = answer;
      if (answer || query.problem !== undefined) break;
    }
    if (query.answer) void this.#poll(query, query.answer.id).then(() => this.#askAgain(query, body, mark));
    return {
      what: `API ${mark} (${query.answer?.id ?? 'not accepted'})`,
      accepted: () => Number(query.answer !== undefined),
      wrong: () => {
        const posts = this.#posted().filter((one) => contentOf(one).includes(`begin-${mark}.`));
        const questions = posts.filter(({ ts, thread }) => thread === undefined || thread === ts);
        const replies = posts.filter((one) => !questions.includes(one)).map(({ text }) => text);
        const { whole, half } = answersTo(replies, mark);
        const facts = `${questions.length} questions, ${whole} whole and ${half} half answers`;
        if (questions.length > 1 || whole > 1 || half > 0) return facts;
        if (!query.answer) return query.problem;
        return questions.length === 1 && whole === 1
          ? wrongOf(query, mark)
          : `${facts}, ${wrongOf(query, mark)}`;
      },
    };
  }

  /** A question in a conversation of its own, whose answer the program reads by a stream, and by further ones after each that breaks off. */
  async stream(mark: string): Promise<Expectation> {
    const body = { question: question(mark) };
    const query: Asked = {};
    const read = this.#readStreams(query, body, mark).then(() => this.#askAgain(query, body, mark));
    await Promise.race([read, soon(() => query.answer !== undefined, SEND_MS)]);
    return {
      what: `API stream ${mark} (${query.answer?.id ?? 'not accepted'})`,
      accepted: () => Number(query.answer !== undefined),
      wrong: () => (query.answer ? wrongOf(query, mark) : query.problem),
    };
  }

  async #readStreams(query: Asked, body: object, mark: string): Promise<void> {
    const start = performance.now();
    const mayGoOn = (): boolean => performance.now() < start + (query.answer ? READ_MS : SEND_MS);
    for (; mayGoOn(); await wait(AGAIN_MS)) {
      const id = query.answer?.id;
      const reading = await this.#program.stream(id === undefined ? { body, idempotencyKey: mark } : { id });
      if (isRefusal(reading.status)) query.problem = `refused with ${reading.status}`;
      if (reading.answer && id !== undefined && reading.answer.id !== id)
        query.problem = `a stream of ${id} tells of ${reading.answer.id}`;
      query.answer = reading.answer ?? query.answer;
      if (!isOver(reading.answer)) continue;
      if (reading.words !== reading.answer.answer) query.problem = `the stream ended with “${reading.words}”`;
      return;
    }
  }

  /** Reads on until the answer has ended. */
  async #poll(query: Asked, id: string): Promise<void> {
    for (const end = performance.now() + READ_MS; performance.now() < end; await wait(AGAIN_MS)) {
      query.answer = (await this.#program.read(id)) ?? query.answer;
      if (isOver(query.answer)) return;
    }
  }

  /** The same key with the same question is the same answer, and with another question a 422. */
  async #askAgain(query: Asked, body: object, mark: string): Promise<void> {
    const { answer: first } = query;
    if (!isOver(first)) return;
    for (const end = performance.now() + READ_MS; performance.now() < end; await wait(AGAIN_MS)) {
      const { answer } = await this.#program.ask({ ...body, wait: 0 }, mark);
      const other = await this.#program.ask({ ...body, question: 'Another question.' }, mark);
      if (!answer || other.status === 0 || other.status === 429 || other.status >= 500) continue;
      const isSame = answer.id === first.id && answer.answer === first.answer;
      if (!isSame) query.problem ??= `the same key has another answer: ${JSON.stringify(answer)}`;
      if (other.status !== 422) query.problem ??= `its key with another question is a ${other.status}`;
      query.problem ??= '';
      return;
    }
  }

  #posted(): Message[] {
    const { core, channel, botUserId } = this.#services.slack;
    return [...(core.state.messages.get(channel)?.values() ?? [])].filter(({ user }) => user === botUserId);
  }
}

/** Whether the same request would be refused again. */
const isRefusal = (status: number): boolean => status >= 400 && status < 500 && status !== 429;

const isOver = (answer: Answer | undefined): answer is Answer =>
  answer?.status === 'completed' || answer?.status === 'failed';

/** What is missing in what a program was told about its accepted question. */
function wrongOf({ answer, problem = 'not read to its end' }: Asked, mark: string): string | undefined {
  if (problem !== '') return problem;
  const isTold = answer?.status === 'completed' && answersTo([answer.answer ?? ''], mark).whole === 1;
  return isTold ? undefined : `it is told: ${JSON.stringify(answer)}`;
}
