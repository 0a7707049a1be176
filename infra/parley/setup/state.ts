import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import * as v from 'valibot';

/** What an interrupted set-up needs to continue. Never has a secret: those are in `.env`. */
const stateSchema = v.object({
  version: v.literal(1),
  /** Answers to questions that are not secret, by id. */
  answers: v.record(v.string(), v.string()),
  /** The Slack app that was created, so that it is not created twice. */
  slackAppId: v.optional(v.string()),
  /** By stage: what was deployed, or that a deployment has begun. */
  deployed: v.optional(v.record(v.string(), v.string()), {}),
});
export type SetupState = v.InferOutput<typeof stateSchema>;

const EMPTY_STATE: SetupState = { version: 1, answers: {}, deployed: {} };

/** The file lies beside `.env`, and exists only while a set-up is unfinished. */
export const getStateFile = (envFile: string): string => `${envFile}.setup.json`;

/** Reads the state. A missing file, or one that cannot be read, is an empty state. */
export function readState(file: string): SetupState {
  if (!existsSync(file)) return EMPTY_STATE;
  try {
    return moveDeployment(v.parse(stateSchema, JSON.parse(readFileSync(file, 'utf8'))));
  } catch {
    return EMPTY_STATE;
  }
}

/** Earlier versions remembered one deployment, among the answers and without its stage. */
function moveDeployment(state: SetupState): SetupState {
  const { 'aws.deployed': deployment, ...answers } = state.answers;
  const stage = answers['aws.stage'];
  if (deployment === undefined || stage === undefined) return state;
  return { ...state, answers, deployed: { [stage]: deployment, ...state.deployed } };
}

export function writeState(file: string, state: SetupState): void {
  writeFileSync(file, `${JSON.stringify(state, undefined, 2)}\n`, { mode: 0o600 });
}

export function removeState(file: string): void {
  rmSync(file, { force: true });
}
