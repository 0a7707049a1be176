import {
  type Check,
  checkEnvironment,
  checkServices,
  fail,
  type LocalConfig,
  readCheckedConfig,
  readEnvFile,
  type ServiceChecks,
  skip,
  type Variables,
} from '../../configuration/index.ts';
import { loadAwsAccount, noAwsAccount } from '../aws/account.ts';
import { checkAws } from './checks/check-aws.ts';
import { evaluateEnvFile, evaluateNode } from './checks/check-machine.ts';
import { checkModel, findReasonNotToAsk } from './checks/check-model.ts';
import { diagnoseDeployment } from './diagnose-deployment.ts';
import { checkDiscordSetup } from './diagnose-discord.ts';
import { checkSlackSetup } from './diagnose-slack.ts';
import type { DoctorInput } from './doctor-input.ts';

/** The time limit for all further requests to one service. */
const SERVICE_TIMEOUT_MS = 8_000;
/** A model may take long to start. */
const MODEL_TIMEOUT_MS = 60_000;

/** Runs all checks. Never rejects: what could not be checked is a warning. */
export async function diagnose(input: DoctorInput): Promise<readonly Check[]> {
  const { envFile, environment, createProbe } = input;
  const file = readEnvFile(envFile.text);
  const variables = { ...file.variables, ...environment };
  const { config, checks: valueChecks } = readCheckedConfig(variables);
  const machine = [
    evaluateNode(input.nodeVersion),
    evaluateEnvFile(envFile),
    ...file.checks,
    ...checkEnvironment(environment),
    ...valueChecks,
  ];
  const aws = diagnoseAws(environment, createProbe);
  // A malformed value must not be sent to a service.
  if (valueChecks.some(({ result }) => result === 'fail'))
    return [...machine, skip('Services', 'are checked when the values above are right.'), ...(await aws)];
  const services = await checkServices(config, variables, createServiceProbe(createProbe));
  const further = await diagnoseServices(input, config, variables, services);
  return [...machine, ...services.clock, ...services.checks, ...further, ...(await aws)];
}

/** Checks a deployment and its AWS account. Never rejects. */
export async function diagnoseStage(input: DoctorInput, stack: string): Promise<readonly Check[]> {
  const { environment, envFile, createProbe, now } = input;
  const node = evaluateNode(input.nodeVersion);
  const account = await loadAwsAccount(environment);
  if (account === undefined)
    return [
      node,
      fail('AWS credentials', 'are missing.', 'Run "aws configure" or "aws sso login", or set AWS_PROFILE.'),
    ];
  // Without them nothing of the deployment is checked.
  if ('result' in account) return [node, { ...account, result: 'fail' }];
  const aws = await checkAws(account, createProbe(SERVICE_TIMEOUT_MS));
  if (aws.some(({ result }) => result === 'fail')) return [node, ...aws];
  const variables = { ...readEnvFile(envFile.text).variables, ...environment };
  return [node, ...aws, ...(await diagnoseDeployment({ account, stack, variables, now, createProbe }))];
}

const createServiceProbe = (createProbe: DoctorInput['createProbe']) => () => createProbe(SERVICE_TIMEOUT_MS);

/** Checks what a start does not need to know. */
async function diagnoseServices(
  input: DoctorInput,
  { slack, discord, upstream }: LocalConfig,
  variables: Variables,
  services: ServiceChecks,
): Promise<Check[]> {
  const { shouldAskModel, createProbe, now } = input;
  const simulated = [
    ...(slack.kind === 'simulated' ? ['Slack'] : []),
    ...(discord.kind === 'simulated' ? ['Discord'] : []),
    ...(upstream.kind === 'simulated' ? ['Models'] : []),
  ].map((name) =>
    skip(name, 'simulated: none of its variables is set.', '"npx parley setup" connects the real one.'),
  );
  const none = Promise.resolve([]);
  const further = await Promise.all([
    slack.kind === 'simulated' || services.slackBot === undefined
      ? none
      : checkSlackSetup(input, slack, variables, services.slackAppId, createProbe(SERVICE_TIMEOUT_MS)),
    discord.kind === 'simulated' || services.checks.some(isDiscordTokenFailure)
      ? none
      : checkDiscordSetup(input, discord, variables, createProbe(SERVICE_TIMEOUT_MS)),
    upstream.kind === 'simulated' || !shouldAskModel
      ? none
      : (findReasonNotToAsk(variables) ?? checkModel(upstream, createProbe(MODEL_TIMEOUT_MS), now)),
  ]);
  return [...further.flat(), ...simulated];
}

const isDiscordTokenFailure = ({ name, result }: Check): boolean =>
  result === 'fail' && (name === 'DISCORD_BOT_TOKEN' || name === 'DISCORD_APPLICATION_ID');

async function diagnoseAws(
  environment: Variables,
  createProbe: DoctorInput['createProbe'],
): Promise<Check[]> {
  const account = await loadAwsAccount(environment);
  if (account === undefined) return [noAwsAccount];
  return 'result' in account ? [account] : await checkAws(account, createProbe(SERVICE_TIMEOUT_MS));
}
