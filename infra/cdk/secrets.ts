import { CfnOutput, RemovalPolicy, SecretValue, Validations } from 'aws-cdk-lib';
import type { Stack } from 'aws-cdk-lib';
import { CfnSecret, Secret } from 'aws-cdk-lib/aws-secretsmanager';
import type { SecretProps } from 'aws-cdk-lib/aws-secretsmanager';
import { ENV, SECRET_PLACEHOLDER } from '../../shared/runtime/shared-names.ts';
import type { Use } from './lambda-function.ts';

/**
 * The credentials, each read only by the functions that need it. They are created with placeholders and filled in
 * by the operator; CloudFormation leaves the values alone unless the placeholder itself changes.
 */
export class Secrets {
  private readonly slackSigning: Secret;
  private readonly slackBot: Secret;
  private readonly slackOAuth: Secret;
  private readonly discordBot: Secret;
  private readonly upstream: Secret;

  constructor(stack: Stack) {
    this.slackSigning = secret(stack, 'SlackSigning', 'slack-signing', {
      description: 'Slack signing secret: {"current"}, and "previous" while you change it',
      // Random until it is filled in: an endpoint with a known signing secret would be open to all.
      generateSecretString: {
        secretStringTemplate: '{}',
        generateStringKey: 'current',
        excludePunctuation: true,
      },
    });
    this.slackBot = secret(stack, 'SlackBot', 'slack-bot', {
      description: 'Slack bot: {"botToken","botUserId"}',
      ...placeholder('botToken', 'botUserId'),
    });
    this.slackOAuth = secret(stack, 'SlackOAuth', 'slack-oauth', {
      description:
        'Slack app for installs in other workspaces: {"clientId","clientSecret"}. Not needed for one workspace',
      ...placeholder('clientId', 'clientSecret'),
    });
    this.discordBot = secret(stack, 'DiscordBot', 'discord-bot', {
      description: 'Discord bot: {"botToken"}. Not needed without Discord',
      ...placeholder('botToken'),
    });
    this.upstream = secret(stack, 'Upstream', 'upstream', {
      description: 'API key of the models: {"apiKey"}, and further keys as "more": [...]',
      ...placeholder('apiKey'),
    });
  }

  useSlackSigning(): Use {
    return secretUse(ENV.slackSigningSecretId, this.slackSigning);
  }

  useSlackBot(): Use {
    return secretUse(ENV.slackBotSecretId, this.slackBot);
  }

  useSlackOAuth(): Use {
    return secretUse(ENV.slackOAuthSecretId, this.slackOAuth);
  }

  useDiscordBot(): Use {
    return secretUse(ENV.discordBotSecretId, this.discordBot);
  }

  useUpstream(): Use {
    return secretUse(ENV.upstreamSecretId, this.upstream);
  }
}

function placeholder(...keys: string[]): Pick<SecretProps, 'secretObjectValue'> {
  return {
    secretObjectValue: Object.fromEntries(
      keys.map((key) => [key, SecretValue.unsafePlainText(SECRET_PLACEHOLDER)]),
    ),
  };
}

/** `kind` tells the local engine which of its own values to serve for this secret. */
function secret(stack: Stack, id: string, kind: string, props: SecretProps): Secret {
  const made = new Secret(stack, id, { ...props, removalPolicy: RemovalPolicy.DESTROY });
  const resource = made.node.defaultChild;
  if (resource instanceof CfnSecret) resource.addMetadata('parley:secret', kind);
  new CfnOutput(stack, `${id}Secret`, { value: made.secretArn });
  Validations.of(made).acknowledge({
    id: 'AwsSolutions-SMG4',
    reason:
      'Issued by Slack, by Discord or by the owner of the models, who offer no interface that a rotation function could call. ' +
      'Changed by hand without a gap: see docs/runbook.md#change-a-credential.',
  });
  return made;
}

function secretUse(name: string, of: Secret): Use {
  return {
    env: { [name]: of.secretArn },
    allow: { actions: ['secretsmanager:GetSecretValue'], resources: [of.secretArn] },
  };
}
