import { setTimeout as wait } from 'node:timers/promises';
import { PICTURES } from '../image-files/pictures.ts';
import { slackAudioClip } from '../journeys/recordings.ts';
import type { Message } from '../simulators/slack/index.ts';
import { statusKey } from '../simulators/slack/state.ts';
import { pick, type Random } from '../simulators/upstream/random.ts';
import { contentOf } from './commands.ts';
import { answersTo, type Expectation, question } from './expectation.ts';
import { countAnswers } from './payments.ts';
import type { Services } from './services.ts';
import { soon, untilTaken } from './waiting.ts';

const DIGITS = ['zero', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine'] as const;
/** How the simulated models continue an answer. */
const CONTINUED = 'Here the practice model goes on where it stopped.';
const PEOPLE: readonly [string, ...string[]] = ['ada', 'grace'];

/** Three to five digits that no other recording of the run has, as numbers and as spoken words. */
export function recordingOf(nth: number): { digits: number[]; words: string } {
  const digits = String(1_000 + nth)
    .split('')
    .map(Number);
  return { digits, words: digits.map((digit) => DIGITS[digit]).join(' ') };
}

/** Actions of people in the simulated Slack. Each resolves after the action, with its expected result. */
export class SlackLoad {
  readonly #services: Services;
  #animating = Promise.resolve();

  constructor(services: Services) {
    this.#services = services;
  }

  /** Two to four questions in one thread, each sent once the previous one was accepted. */
  async thread(mark: string, random: Random): Promise<Expectation> {
    const { slack, acceptedKeys } = this.#services;
    const marks: string[] = [];
    const questions: string[] = [];
    let root: string | undefined;
    for (let n = 2 + Math.floor(random() * 3); n > 0; n -= 1) {
      const own = `${mark}q${marks.length}`;
      const text = `@parley ${question(own, 8 + Math.floor(random() * 40))}`;
      const ts = await slack.say(pick(random, PEOPLE), text, { thread: root });
      root ??= ts;
      marks.push(own);
      questions.push(ts);
      if (!(await soon(() => acceptedKeys.has(ts)))) break;
      await wait(random() * 1_500);
    }
    const thread = root ?? '';
    return {
      what: `thread ${mark} (${thread})`,
      accepted: () => questions.filter((ts) => acceptedKeys.has(ts)).length,
      wrong: () => {
        const accepted = marks.filter((_, index) => acceptedKeys.has(questions[index] ?? ''));
        return this.#wrongIn(thread, accepted) ?? this.#disorder(thread, accepted);
      },
    };
  }

  /** A question that is edited while it waits, during its answer, or after it. */
  async edit(mark: string, random: Random): Promise<Expectation> {
    const { slack, acceptedKeys } = this.#services;
    const [before, after] = [`${mark}v0`, `${mark}v1`];
    const ts = await slack.say('ada', `@parley ${question(before)}`);
    await soon(() => acceptedKeys.has(ts));
    await wait(random() * 2_500);
    slack.core.edit('U0ADA00000', slack.channel, ts, `@parley ${question(after)}`);
    return {
      what: `edit ${mark} (${ts})`,
      accepted: () => [ts, `${ts}#edited`].filter((key) => acceptedKeys.has(key)).length,
      wrong: () => {
        // The edit alone is enough: a message that mentions the bot since its edit is a question.
        if (!acceptedKeys.has(ts) && !acceptedKeys.has(`${ts}#edited`)) return undefined;
        // An edit without acknowledgment may or may not have taken effect.
        const isSure = acceptedKeys.has(`${ts}#edited`);
        const texts = this.#texts(ts);
        const is = isSure || texts.some((text) => text.includes(`begin-${after}.`)) ? after : before;
        const stale = answersTo(texts, is === after ? before : after);
        const left = stale.whole + stale.half > 0 ? 'both answers are there' : undefined;
        return this.#wrongIn(ts, [is]) ?? left;
      },
    };
  }

  /** A long answer that is stopped where Slack shows its Stop: a part of it remains. */
  async stop(mark: string, random: Random): Promise<Expectation> {
    const { acceptedKeys } = this.#services;
    const { ts, stopped } = await this.#stopEarly(mark, random);
    return {
      what: `stop ${mark} (${ts})`,
      accepted: () => Number(acceptedKeys.has(ts)),
      wrong: () => {
        if (!acceptedKeys.has(ts)) return undefined;
        return stopped ? this.#wrongPart(ts, mark) : this.#wrongIn(ts, [mark]);
      },
    };
  }

  /** A stopped answer that the person continues with its button: the rest is added in place, once. */
  async goOn(mark: string, random: Random): Promise<Expectation> {
    const { slack, acceptedKeys } = this.#services;
    const { ts, stopped } = await this.#stopEarly(mark, random);
    const part = (): Message | undefined =>
      this.#messages(ts).find((one) => contentOf(one).includes('parley:continue'));
    const isOffered = stopped && (await soon(() => part() !== undefined));
    const isClicked =
      isOffered && (await untilTaken(() => slack.press('ada', part()?.ts ?? '', 'parley:continue')));
    return {
      what: `continue ${mark} (${ts})`,
      accepted: () => Number(acceptedKeys.has(ts)) + Number(isClicked),
      wrong: () => {
        if (!acceptedKeys.has(ts)) return undefined;
        if (!stopped) return this.#wrongIn(ts, [mark]);
        const times = this.#texts(ts).join('\n').split(CONTINUED).length - 1;
        if (times > 1 || (isClicked && times === 0)) return `continued ${times} times`;
        return this.#wrongPart(ts, mark);
      },
    };
  }

  /** Asks for a long answer, and stops it before its end. */
  async #stopEarly(
    mark: string,
    random: Random,
  ): Promise<{ readonly ts: string; readonly stopped: boolean }> {
    const { slack, acceptedKeys } = this.#services;
    const ts = await slack.say('ada', `@parley ${question(mark, 150)}`);
    await soon(() => acceptedKeys.has(ts));
    await wait(500 + random() * 1_500);
    const stopped = await slack.stop('ada', ts).then(
      () => true,
      () => false,
    );
    return { ts, stopped };
  }

  /** At most one answer to this question, whole or not, in one message. */
  #wrongPart(thread: string, mark: string): string | undefined {
    const { whole, half } = answersTo(this.#texts(thread), mark);
    const many = this.#messages(thread).length;
    if (many > 1 || whole + half > 1) return `${many} messages, ${whole} whole and ${half} half answers`;
    return many === 0 ? 'nothing is shown' : this.#open(thread);
  }

  /** An answer that is made again where the person clicks Regenerate below it: it is replaced in place. */
  async regenerate(mark: string): Promise<Expectation> {
    const { slack, acceptedKeys, upstream } = this.#services;
    const ts = await slack.say('ada', `@parley ${question(mark)}`);
    await soon(() => acceptedKeys.has(ts));
    const answer = (): Message | undefined =>
      this.#messages(ts).find((one) => contentOf(one).includes('parley:regenerate'));
    await soon(() => answer() !== undefined);
    const firstAnswer = answer();
    let clicks = 0;
    const isClicked =
      firstAnswer !== undefined &&
      (await untilTaken(() => {
        clicks += 1;
        return slack.press('ada', firstAnswer.ts, 'parley:regenerate');
      }));
    return {
      what: `regenerate ${mark} (${ts})`,
      regenerated: { mark, clicks },
      accepted: () => Number(acceptedKeys.has(ts)) + Number(isClicked),
      wrong: () => {
        if (!acceptedKeys.has(ts)) return undefined;
        const isMissed = isClicked && countAnswers(upstream, mark) < 2;
        return this.#wrongIn(ts, [mark]) ?? (isMissed ? 'the click had no effect' : undefined);
      },
    };
  }

  /** A voice message whose transcription a person requests. */
  async voice(nth: number): Promise<Expectation> {
    const { slack } = this.#services;
    const { digits, words } = recordingOf(nth);
    const ts = await slack.say('ada', '', { files: [await slackAudioClip(digits)] });
    const isSent = await untilTaken(() => slack.shortcut('grace', 'transcribe', ts));
    return {
      what: `voice ${words} (${ts})`,
      accepted: () => Number(isSent),
      wrong: () => {
        const cards = this.#messages(ts).map(contentOf);
        const matches = cards.filter((card) => card.includes(words)).length;
        if (isSent && matches !== 1)
          return `written out ${matches} times: ${cards.join(' | ').slice(0, 300)}`;
        return cards.length > 1 ? `${cards.length} cards` : this.#open(ts);
      },
    };
  }

  /** A picture that a person animates with the modal. One person fills in one modal at a time. */
  async video(mark: string): Promise<Expectation> {
    const { slack, upstream } = this.#services;
    const content = Buffer.from(PICTURES.png, 'base64');
    const ts = await slack.say('grace', 'Look at this.', { files: [{ name: 'sea.png', content }] });
    const before = this.#animating;
    const done = Promise.withResolvers<void>();
    this.#animating = done.promise;
    await before;
    const isOpen = (): boolean => [...slack.core.state.views.values()].some(({ kind }) => kind === 'modal');
    const sent = await untilTaken(async () => {
      if (!isOpen()) await slack.shortcut('ada', 'animate-form', ts);
      if (!(await soon(isOpen, 3_000))) return { acknowledged: false };
      return slack.submit('ada', { prompt: `Waves of ${mark}.` });
    });
    if (!sent && isOpen()) await slack.dismiss('ada');
    done.resolve();
    return {
      what: `video ${mark} (${ts})`,
      accepted: () => Number(sent),
      wrong: () => {
        const jobs = [...upstream.core.state.jobs.values()];
        const paid = jobs.filter(({ input }) => JSON.stringify(input).includes(`Waves of ${mark}.`)).length;
        const posted = this.#messages(ts).filter(({ files }) => files !== undefined).length;
        const cards = this.#messages(ts).filter((one) => contentOf(one).includes('A video was made')).length;
        if (paid > 1 || posted > 1) return `paid ${paid} times, posted ${posted} times`;
        if (!sent) return undefined;
        const facts = `paid ${paid} times, posted ${posted} times, ${cards} cards that say so`;
        return paid === 1 && posted === 1 && cards === 1 ? this.#open(ts) : facts;
      },
    };
  }

  #messages(thread: string): Message[] {
    const { core, channel, botUserId } = this.#services.slack;
    return [...(core.state.messages.get(channel)?.values() ?? [])]
      .filter((one) => one.thread === thread && one.user === botUserId && one.ephemeralTo === undefined)
      .toSorted((a, b) => Number(a.ts) - Number(b.ts));
  }

  #texts(thread: string): string[] {
    return this.#messages(thread).map(({ text }) => text);
  }

  /** Each of these is answered once and completely, and nothing else is posted. */
  #wrongIn(thread: string, accepted: readonly string[]): string | undefined {
    const texts = this.#texts(thread);
    for (const mark of accepted) {
      const { whole, half } = answersTo(texts, mark);
      if (whole !== 1 || half > 0)
        return `${mark}: ${whole} whole and ${half} half answers in ${texts.length} messages: ${texts.join(' | ').slice(0, 400)}`;
    }
    const stray = texts.find((text) => !text.includes('begin-'));
    return stray === undefined ? this.#open(thread) : `also there: ${stray.slice(0, 200)}`;
  }

  #disorder(thread: string, accepted: readonly string[]): string | undefined {
    const all = this.#texts(thread).join('\n');
    const at = accepted.map((mark) => all.indexOf(`begin-${mark}.`));
    return at.every((place, index) => index === 0 || place > (at[index - 1] ?? 0))
      ? undefined
      : 'not in order';
  }

  /** A stream, status or session that has not ended. */
  #open(thread: string): string | undefined {
    const { state } = this.#services.slack.core;
    const key = statusKey(this.#services.slack.channel, thread);
    const status = state.statuses.get(key);
    if (this.#messages(thread).some(({ stream }) => stream?.open)) return 'a stream is open';
    if (status !== undefined && status.until > Date.now()) return `a status is shown: ${status.words}`;
    return state.sessions.get(key)?.status === 'processing' ? 'the session counts as under way' : undefined;
  }
}
