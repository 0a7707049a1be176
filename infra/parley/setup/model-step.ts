import * as v from 'valibot';
import { getEndpointUrl } from '../../../shared/upstream/http/endpoint-url.ts';
import {
  type Check,
  checkUpstream,
  fail,
  getFailed,
  getValue,
  type Probe,
} from '../../configuration/index.ts';
import { checkModel, findReasonNotToAsk, type ModelAccess } from '../doctor/checks/check-model.ts';
import type { Question } from './question.ts';
import type { SetupSession } from './session.ts';

const SERVICE_TIMEOUT_MS = 10_000;
/** A model may take long to start. */
const MODEL_TIMEOUT_MS = 60_000;
/** Longer lists are no help: the id is typed then. */
const MAX_CHOICES = 40;

const URL_QUESTION: Question = {
  id: 'models.url',
  kind: 'text',
  message: 'Address of your chat-completions server (empty: simulated models)',
  isOptional: true,
  findProblem: (answer) =>
    /^https?:$/.test(URL.parse(answer)?.protocol ?? '')
      ? undefined
      : 'it must start with https:// or http://',
};
const KEY_QUESTION: Question = {
  id: 'models.key',
  kind: 'secret',
  message: 'API key of this server (any word, if it needs none)',
};
const MODEL_ID = 'models.model';

const modelListSchema = v.object({ data: v.array(v.object({ id: v.string() })) });

/** The names and addresses by which a machine reaches itself. */
const THIS_MACHINE = /^(?:localhost|.+\.localhost|127\.[\d.]+|0\.0\.0\.0|\[::1?\]|host\.docker\.internal)$/u;

/** Whether only this machine reaches the address. */
const isOfThisMachine = (url: string): boolean => THIS_MACHINE.test(new URL(url).hostname);

const UNREACHABLE = fail(
  'UPSTREAM_BASE_URL',
  'is an address of this machine, which a deployment cannot reach.',
  'Give the address of a server that AWS reaches.',
);

/** Connects the model server. Resolves with false if the models stay simulated. `isAws`: a deployment has to reach it. */
export async function setUpModels(session: SetupSession, isAws = false): Promise<boolean> {
  const { say, createProbe } = session.options;
  const saved = readExisting(session);
  const existing = saved && isAws && isOfThisMachine(saved.baseUrl) ? undefined : saved;
  if (existing && getFailed(await checkAccess(existing, createProbe(SERVICE_TIMEOUT_MS))).length === 0) {
    say(`Models: ${existing.model} at ${new URL(existing.baseUrl).origin} is set already.`);
    return true;
  }
  for (;;) {
    const baseUrl = (await session.ask(URL_QUESTION)).replace(/\/+$/, '');
    if (baseUrl === '') return false;
    if (isAws && isOfThisMachine(baseUrl)) {
      session.forget(URL_QUESTION.id);
      session.accepts([UNREACHABLE]);
      continue;
    }
    const apiKey = await session.ask(KEY_QUESTION);
    say('Asking the server for its models ...');
    const probe = createProbe(SERVICE_TIMEOUT_MS);
    const server = { baseUrl, apiKey, models: {} };
    const checks = await checkUpstream(server, probe);
    if (!session.accepts(checks)) {
      // A wrong key leaves the address as it is.
      if (getFailed(checks).some(({ name }) => name !== 'UPSTREAM_API_KEY')) session.forget(URL_QUESTION.id);
      continue;
    }
    const access = { baseUrl, apiKey, model: await askModel(session, server, probe) };
    const answer = findReasonNotToAsk(session.variables) ?? (await askShortQuestion(session, access));
    if (!session.accepts([answer])) {
      session.forget(MODEL_ID);
      continue;
    }
    session.writeVariables({
      UPSTREAM_BASE_URL: baseUrl,
      UPSTREAM_API_KEY: apiKey,
      UPSTREAM_MODEL: access.model,
    });
    say(`Models: ${access.model} ${answer.finding}`);
    return true;
  }
}

function askShortQuestion(
  { options: { say, createProbe } }: SetupSession,
  access: ModelAccess,
): Promise<Check> {
  say(`Asking ${access.model} a short question ...`);
  return checkModel(access, createProbe(MODEL_TIMEOUT_MS), Date.now);
}

function readExisting({ variables }: SetupSession): ModelAccess | undefined {
  const baseUrl = getValue(variables, 'UPSTREAM_BASE_URL');
  const apiKey = getValue(variables, 'UPSTREAM_API_KEY');
  const model = getValue(variables, 'UPSTREAM_MODEL');
  return baseUrl !== undefined && URL.canParse(baseUrl) && apiKey !== undefined && model !== undefined
    ? { baseUrl, apiKey, model }
    : undefined;
}

const checkAccess = ({ baseUrl, apiKey, model }: ModelAccess, probe: Probe) =>
  checkUpstream({ baseUrl, apiKey, models: { UPSTREAM_MODEL: [model] } }, probe);

/** Asks for the model: one of the list, or any if the server lists none or very many. */
async function askModel(
  session: SetupSession,
  { baseUrl, apiKey }: Omit<ModelAccess, 'model'>,
  probe: Probe,
): Promise<string> {
  const response = await probe(getEndpointUrl(baseUrl, '/v1/models').href, {
    headers: { authorization: `Bearer ${apiKey}` },
  });
  const parsed = response.kind === 'answered' ? v.safeParse(modelListSchema, response.json) : undefined;
  const ids = parsed?.success ? parsed.output.data.map(({ id }) => id) : [];
  const message = 'Which model answers?';
  if (ids.length === 0 || ids.length > MAX_CHOICES)
    return await session.ask({ id: MODEL_ID, kind: 'text', message: `${message} Its id at the server` });
  const choices = ids.map((id) => ({ value: id, label: id }));
  return await session.ask({ id: MODEL_ID, kind: 'choice', message, choices });
}
