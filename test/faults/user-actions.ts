import { messageId } from '../../shared/domain/index.ts';
import { ADA } from '../simulators/slack/harness.ts';
import type { Workspace } from '../simulators/slack/workspace.ts';
import type { UserAction, CompletedAction, Question } from './options.ts';

/** Actions on a waiting question take effect within this time. */
export const EFFECT_TIMEOUT_MS = 2_000;

export type SimulatedUsersContext = {
  readonly workspace: Workspace;
  readonly now: () => number;
  readonly at: (ms: number, then: () => void) => void;
  /** Sends the body of a click to the front. */
  readonly pressed: (body: string) => void;
  readonly hasEnded: (ts: string) => boolean;
  readonly isInQueue: (root: string, ts: string) => boolean;
};

type Asked = Question & { readonly ts: string; readonly root: string };

/** The people of a run: their questions in Slack, and their actions on these. */
export class SimulatedUsers {
  readonly #context: SimulatedUsersContext;
  readonly #questions: Asked[] = [];
  /** The first message of each thread. */
  readonly #roots = new Map<number, string>();
  readonly #closed = new Set<string>();
  /** The final text of the questions, by their ts. */
  readonly standing = new Map<string, string>();
  readonly done: CompletedAction[] = [];

  constructor(context: SimulatedUsersContext) {
    this.#context = context;
  }

  get questionIds(): readonly string[] {
    return this.#questions.map(({ ts }) => ts);
  }

  ask(question: Question): void {
    const { text, thread = 0, person = ADA } = question;
    const { workspace } = this.#context;
    const root = this.#roots.get(thread);
    // Deleted before it had a reply: the thread no longer exists.
    if (root !== undefined && !workspace.state.messages.get(workspace.channel)?.has(root)) return;
    const ts = workspace.say(person, `@parley ${text}`, root === undefined ? {} : { thread: root });
    this.#questions.push({ ...question, ts, root: root ?? ts });
    if (root === undefined) this.#roots.set(thread, ts);
    if (root === undefined || !this.#closed.has(root)) this.standing.set(ts, text);
  }

  act(act: UserAction): void {
    const question = this.#questions[act.question];
    if (!question || !this.standing.has(question.ts) || !this.#does(act, question)) return;
    const { now, at, isInQueue } = this.#context;
    const { ts, root } = question;
    const done: CompletedAction = { act, ts, atMs: now(), isInQueueAfter: false };
    this.done.push(done);
    at(now() + EFFECT_TIMEOUT_MS, () => (done.isInQueueAfter = isInQueue(root, ts)));
  }

  /** Whether the action was possible. */
  #does({ what }: UserAction, { ts, root, person = ADA }: Asked): boolean {
    const { workspace, hasEnded } = this.#context;
    const { channel } = workspace;
    switch (what) {
      case 'edit': {
        const text = `${this.standing.get(ts)} or not?`;
        this.standing.set(ts, text);
        workspace.edit(person, channel, ts, `@parley ${text}`);
        return true;
      }
      case 'delete':
        // The deletion of a thread root deletes all questions of the thread.
        if (ts === root) this.#closed.add(root);
        for (const one of this.#questions) if (one.ts === ts || one.root === ts) this.standing.delete(one.ts);
        workspace.remove(person, channel, ts);
        return true;
      case 'stop':
        if (hasEnded(ts)) return false;
        return this.#stop(person, root);
      case 'regenerate':
        return this.#press(ts, person, 'Regenerate');
      case 'continue':
        return this.#press(ts, person, 'Continue');
    }
  }

  #stop(person: string, root: string): boolean {
    const { workspace } = this.#context;
    try {
      workspace.stop(person, workspace.channel, messageId(root));
      return true;
    } catch {
      // Slack shows no Stop: nothing is in progress.
      return false;
    }
  }

  /** Slack sends a click once, whatever the response. */
  #press(question: string, person: string, label: 'Regenerate' | 'Continue'): boolean {
    const { workspace, pressed } = this.#context;
    const { channel, state, identity } = workspace;
    const answer = [...(state.messages.get(channel)?.values() ?? [])].find(
      ({ user, metadata }) =>
        user === identity.botUserId && JSON.stringify(metadata ?? '').includes(question),
    );
    if (!answer || !JSON.stringify(answer.blocks ?? []).includes(`parley:${label.toLowerCase()}`))
      return false;
    const payload = JSON.stringify(workspace.press(person, answer.ts, label));
    pressed(new URLSearchParams({ payload }).toString());
    return true;
  }
}
