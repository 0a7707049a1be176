import { Duration, Stack, Validations } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnApplication, CfnDeploymentGroup } from 'aws-cdk-lib/aws-codedeploy';
import { PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  Alias,
  CfnAlias,
  type Function as Lambda,
  type IFunction,
  type IVersion,
  Version,
} from 'aws-cdk-lib/aws-lambda';
import type { Construct, IConstruct } from 'constructs';

const ALIAS = 'live';
/**
 * A tenth of the calls go to the new version for five minutes, then all. Not longer: a task that the old worker cannot read waits for the new one
 * for ten minutes.
 */
const SHIFT = 'CodeDeployDefault.LambdaCanary10Percent5Minutes';
/** Errors within a minute at which a new version is taken back. */
const MAX_ERRORS = 3;

/**
 * Gives a function an alias to be called by, which CodeDeploy moves to a new version little by little, and back when that fails. Each synthesis makes
 * a new version: the values of parameters are part of one, and CloudFormation would not see that they have changed.
 */
export function gradually(scope: Construct, lambda: Lambda): IFunction {
  lambda.addEnvironment('RELEASE', RELEASE);
  const version = lambda.currentVersion;
  if (!isVersion(version)) throw new Error('a version that no alias takes');
  const alias = new Alias(scope, 'Live', { aliasName: ALIAS, version });
  const alarm = new Alarm(scope, 'ReleaseFails', {
    alarmDescription:
      'A function fails: a deployment in progress is rolled back. What to do: docs/runbook.md#release-fails',
    metric: alias.metricErrors({ period: Duration.minutes(1), statistic: Stats.SUM }),
    threshold: MAX_ERRORS,
    comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
    evaluationPeriods: 1,
    treatMissingData: TreatMissingData.NOT_BREACHING,
  });
  const group = new CfnDeploymentGroup(scope, 'Shift', {
    applicationName: applicationOf(Stack.of(scope)).ref,
    serviceRoleArn: shiftingRole(scope, lambda).roleArn,
    deploymentConfigName: SHIFT,
    deploymentStyle: { deploymentType: 'BLUE_GREEN', deploymentOption: 'WITH_TRAFFIC_CONTROL' },
    alarmConfiguration: { enabled: true, alarms: [{ name: alarm.alarmName }] },
    autoRollbackConfiguration: {
      enabled: true,
      events: ['DEPLOYMENT_FAILURE', 'DEPLOYMENT_STOP_ON_ALARM', 'DEPLOYMENT_STOP_ON_REQUEST'],
    },
  });
  const resource = alias.node.defaultChild;
  if (!(resource instanceof CfnAlias)) throw new Error('an alias that cannot be shifted');
  resource.cfnOptions.updatePolicy = {
    codeDeployLambdaAliasUpdate: { applicationName: group.applicationName, deploymentGroupName: group.ref },
  };
  if (!isFunction(alias)) throw new Error('an alias that cannot be called');
  return alias;
}

// The classes say `role: IRole | undefined` where their interfaces say `role?: IRole`, which is not the same to our compiler.
const isVersion = (one: IConstruct): one is IVersion => one instanceof Version;
const isFunction = (one: IConstruct): one is IFunction => one instanceof Alias;

/** The moment of the synthesis. */
const RELEASE = new Date().toISOString();

function applicationOf(stack: Stack): CfnApplication {
  const found = stack.node.tryFindChild('Releases');
  return found instanceof CfnApplication
    ? found
    : new CfnApplication(stack, 'Releases', { computePlatform: 'Lambda' });
}

/** Not AWSCodeDeployRoleForLambda, which may change every alias of the account and call functions. */
function shiftingRole(scope: Construct, lambda: Lambda): Role {
  const role = new Role(scope, 'ShiftRole', { assumedBy: new ServicePrincipal('codedeploy.amazonaws.com') });
  const { functionArn } = lambda;
  role.addToPolicy(
    new PolicyStatement({
      actions: ['lambda:GetAlias', 'lambda:UpdateAlias', 'lambda:GetProvisionedConcurrencyConfig'],
      resources: [functionArn, `${functionArn}:${ALIAS}`],
    }),
  );
  role.addToPolicy(new PolicyStatement({ actions: ['cloudwatch:DescribeAlarms'], resources: ['*'] }));
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason: 'CodeDeploy asks for the state of alarms, which cannot be limited to some of them.',
  });
  return role;
}
