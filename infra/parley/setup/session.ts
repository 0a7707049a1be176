import { chmodSync, existsSync, realpathSync, renameSync, writeFileSync } from 'node:fs';
import {
  type Check,
  formatChecks,
  getFailed,
  getNotPassed,
  type Probe,
  readEnvFile,
  type Variables,
} from '../../configuration/index.ts';
import { setVariables } from './env-text.ts';
import { readEnvText } from '../read-env-text.ts';
import { type Prompter, type Question, SetupError } from './question.ts';
import { getStateFile, readState, removeState, type SetupState, writeState } from './state.ts';

export type SessionOptions = {
  readonly envFile: string;
  readonly environment: Variables;
  readonly prompter: Prompter;
  /** Prints a line for the person. */
  readonly say: (line: string) => void;
  /** Opens an address in a browser, if there is one. */
  readonly open: (url: string) => void;
  /** Creates a sender of requests that share one time limit. */
  readonly createProbe: (timeoutMs: number) => Probe;
  /** Whether the Slack app may search messages. Default: no. */
  readonly messageSearch?: boolean;
};

/** One run of the set-up: asks, and stores at once what is right, so that an interrupted run can continue. */
export class SetupSession {
  readonly options: SessionOptions;
  /** The configuration token that the person gave in this run. Not stored. */
  slackConfigToken: string | undefined;
  readonly #stateFile: string;
  #state: SetupState;

  constructor(options: SessionOptions) {
    this.options = options;
    this.#stateFile = getStateFile(options.envFile);
    this.#state = readState(this.#stateFile);
  }

  /** Whether an earlier run was interrupted. */
  get isResumed(): boolean {
    return Object.keys(this.#state.answers).length > 0 || this.#state.slackAppId !== undefined;
  }

  /** The answers of the interrupted run and of this one, by id. */
  get answers(): Readonly<Record<string, string>> {
    return this.#state.answers;
  }

  /** The id of the Slack app that was created. */
  get slackAppId(): string | undefined {
    return this.#state.slackAppId;
  }

  setSlackAppId(slackAppId: string): void {
    this.#save({ ...this.#state, slackAppId });
  }

  /** The variables of `.env` and the environment. The environment wins, as everywhere. */
  get variables(): Variables {
    return { ...readEnvFile(this.#readEnv()).variables, ...this.options.environment };
  }

  /**
   * Asks, unless the interrupted run that a person continues has the answer. A file alone answers, because it may have been corrected. Remembers an answer that
   * is not secret.
   */
  async ask(question: Question): Promise<string> {
    const { prompter } = this.options;
    const known = this.#state.answers[question.id];
    if (known !== undefined && question.kind !== 'secret' && prompter.isInteractive) return known;
    const answer = await prompter.ask(question);
    if (question.kind !== 'secret')
      this.#save({ ...this.#state, answers: { ...this.#state.answers, [question.id]: answer } });
    return answer;
  }

  /** Returns what is deployed as this stage: what `rememberDeployment` was given. */
  recallDeployment(stage: string): string | undefined {
    return this.#state.deployed[stage];
  }

  /** Remembers what is deployed as this stage, for the case that the run is interrupted. */
  rememberDeployment(stage: string, deployment: string): void {
    this.#save({ ...this.#state, deployed: { ...this.#state.deployed, [stage]: deployment } });
  }

  /** Forgets all answers. What was created stays known, so that it is not created twice. */
  beginAgain(): void {
    this.#save({ ...this.#state, answers: {} });
  }

  /** Forgets answers, so that their questions are asked again. */
  forget(...ids: readonly string[]): void {
    const answers = Object.entries(this.#state.answers).filter(([id]) => !ids.includes(id));
    this.#save({ ...this.#state, answers: Object.fromEntries(answers) });
  }

  /** Writes variables to `.env`, which only this user can read then. */
  writeVariables(values: Readonly<Record<string, string>>): void {
    const { envFile } = this.options;
    // A link stays a link.
    const file = existsSync(envFile) ? realpathSync(envFile) : envFile;
    const next = `${file}.${process.pid}.tmp`;
    writeFileSync(next, setVariables(this.#readEnv(), values), { mode: 0o600 });
    chmodSync(next, 0o600);
    renameSync(next, file);
  }

  /**
   * Prints the checks that did not pass. Returns whether the answer can be used. Throws SetupError where nobody can answer
   * again.
   */
  accepts(checks: readonly Check[]): boolean {
    for (const line of formatChecks(getNotPassed(checks))) this.options.say(line);
    if (getFailed(checks).length === 0) return true;
    if (this.options.prompter.isInteractive) return false;
    throw new SetupError('An answer does not work, see above.');
  }

  /** Removes the state file: there is nothing to continue. */
  finish(): void {
    removeState(this.#stateFile);
  }

  #readEnv(): string {
    return readEnvText(this.options.envFile) ?? '';
  }

  #save(state: SetupState): void {
    this.#state = state;
    writeState(this.#stateFile, state);
  }
}
