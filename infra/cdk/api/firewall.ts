import { CfnRule, Fn, type Stack, Validations } from 'aws-cdk-lib';
import {
  AllowedMethods,
  CachePolicy,
  Distribution,
  OriginRequestPolicy,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { CfnWebACL } from 'aws-cdk-lib/aws-wafv2';
import type { Construct } from 'constructs';
import { ROUTES } from '../../../shared/runtime/index.ts';
import type { Api } from './api.ts';

/** Header patterns of signed platform requests, by path prefix. */
const SIGNED_ROUTES = [
  { path: ROUTES.slackEvents, header: 'x-slack-signature', pattern: '^v0=[0-9a-f]{64}$' },
  { path: '/discord/', header: 'x-signature-ed25519', pattern: '^[0-9a-f]{128}$' },
] as const;
/** Window over which WAF counts the requests of an IP address. */
const WINDOW_SECONDS = 300;
const TOO_MANY_REQUESTS = 429;

/**
 * Puts CloudFront and a web ACL before the API, because WAF does not support HTTP APIs. Rejects requests without the form of
 * a signature, and IP addresses that send more than a fifth of the API's rate. The API's own URL still works, but is not
 * published. Returns the URL to publish.
 */
export function createFirewall(stack: Stack, { api }: Api, apiRate: number): string {
  // CloudFormation creates ACLs for CloudFront only in us-east-1. This rule fails before any resource is created.
  new CfnRule(stack, 'FirewallRegion', {
    assertions: [
      {
        assert: Fn.conditionEquals(stack.region, 'us-east-1'),
        assertDescription:
          '-c waf=on works in us-east-1 only: a web ACL for CloudFront must be created there.',
      },
    ],
  });
  const limit = (apiRate * WINDOW_SECONDS) / 5;
  const acl = new CfnWebACL(stack, 'Firewall', {
    scope: 'CLOUDFRONT',
    defaultAction: { allow: {} },
    visibilityConfig: createVisibilityConfig('Firewall'),
    rules: [
      createRule(0, 'Unsigned', { orStatement: { statements: SIGNED_ROUTES.map(createUnsignedStatement) } }),
      createRule(1, 'Flood', {
        rateBasedStatement: { aggregateKeyType: 'IP', evaluationWindowSec: WINDOW_SECONDS, limit },
      }),
    ],
  });
  const distribution = new Distribution(stack, 'Edge', {
    comment: `${stack.stackName}: before the API`,
    webAclId: acl.attrArn,
    defaultBehavior: {
      origin: new HttpOrigin(`${api.apiId}.execute-api.${stack.region}.${stack.urlSuffix}`),
      allowedMethods: AllowedMethods.ALLOW_ALL,
      viewerProtocolPolicy: ViewerProtocolPolicy.HTTPS_ONLY,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      // The API needs its own host name. Everything else is passed unchanged, because signatures cover it.
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      compress: false,
    },
  });
  for (const [id, reason] of ACKNOWLEDGED_RULES) acknowledge(distribution, id, reason);
  return `https://${distribution.distributionDomainName}`;
}

/** Rules of cdk-nag that the distribution violates, with the reason. */
const ACKNOWLEDGED_RULES = [
  [
    'AwsSolutions-CFR1',
    'Slack and Discord call from wherever they run; no country is known that they never call from.',
  ],
  [
    'AwsSolutions-CFR3',
    'Addresses of callbacks hold a secret, so they are not logged. The API logs each request by its route.',
  ],
  [
    'AwsSolutions-CFR4',
    'The name is the one that CloudFront gives; a minimum version of TLS takes a name and certificate of your own.',
  ],
] as const;

type Statement = CfnWebACL.StatementProperty;

/** Matches requests with this path prefix and without a header of the signature's form. */
function createUnsignedStatement({
  path,
  header,
  pattern: looks,
}: (typeof SIGNED_ROUTES)[number]): Statement {
  const textTransformations = [{ priority: 0, type: 'NONE' }];
  const matchesPath: Statement = {
    byteMatchStatement: {
      fieldToMatch: { uriPath: {} },
      positionalConstraint: 'STARTS_WITH',
      searchString: path,
      textTransformations,
    },
  };
  const hasSignature: Statement = {
    regexMatchStatement: {
      fieldToMatch: { singleHeader: { Name: header } },
      regexString: looks,
      textTransformations,
    },
  };
  return { andStatement: { statements: [matchesPath, { notStatement: { statement: hasSignature } }] } };
}

function createRule(priority: number, name: string, statement: Statement): CfnWebACL.RuleProperty {
  const action = { block: { customResponse: { responseCode: TOO_MANY_REQUESTS } } };
  return { name, priority, statement, action, visibilityConfig: createVisibilityConfig(name) };
}

/** Sampled requests would show callback URLs, which contain a secret. */
function createVisibilityConfig(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false };
}

function acknowledge(construct: Construct, id: string, reason: string): void {
  Validations.of(construct).acknowledge({ id, reason });
}
