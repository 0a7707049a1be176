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
import { ROUTES } from '../../../shared/runtime/shared-names.ts';
import type { Api } from './api.ts';

/** How a request of a platform looks before anybody has checked its signature, by the beginning of its path. */
const SIGNED = [
  { path: ROUTES.slackEvents, header: 'x-slack-signature', looks: '^v0=[0-9a-f]{64}$' },
  { path: '/discord/', header: 'x-signature-ed25519', looks: '^[0-9a-f]{128}$' },
] as const;
/** Over which WAF counts the requests of an address. */
const WINDOW_SECONDS = 300;
const TOO_MANY_REQUESTS = 429;

/**
 * Puts CloudFront and a web ACL before the API, since WAF takes no HTTP API. Turns away what cannot be signed, and an address that sends more
 * than a fifth of what the API takes. The API's own name still answers: nobody is told it. Returns the address to tell instead.
 */
export function firewall(stack: Stack, { api }: Api, apiRate: number): string {
  // CloudFormation makes an ACL for CloudFront there alone. Said before anything is made.
  new CfnRule(stack, 'FirewallRegion', {
    assertions: [
      {
        assert: Fn.conditionEquals(stack.region, 'us-east-1'),
        assertDescription: '-c waf=on works in us-east-1 only: a web ACL for CloudFront is made there.',
      },
    ],
  });
  const limit = (apiRate * WINDOW_SECONDS) / 5;
  const acl = new CfnWebACL(stack, 'Firewall', {
    scope: 'CLOUDFRONT',
    defaultAction: { allow: {} },
    visibilityConfig: seenAs('Firewall'),
    rules: [
      rule(0, 'Unsigned', { orStatement: { statements: SIGNED.map(unsigned) } }),
      rule(1, 'Flood', {
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
      // The API is found by its own name. All else goes through as it is: signatures are over it.
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      compress: false,
    },
  });
  for (const [id, reason] of BROKEN) acknowledge(distribution, id, reason);
  return `https://${distribution.distributionDomainName}`;
}

/** Rules that the distribution breaks, and why it may. */
const BROKEN = [
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

/** Fits a request to such a path that does not bear what a signature looks like. */
function unsigned({ path, header, looks }: (typeof SIGNED)[number]): Statement {
  const textTransformations = [{ priority: 0, type: 'NONE' }];
  const here: Statement = {
    byteMatchStatement: {
      fieldToMatch: { uriPath: {} },
      positionalConstraint: 'STARTS_WITH',
      searchString: path,
      textTransformations,
    },
  };
  const bearsOne: Statement = {
    regexMatchStatement: {
      fieldToMatch: { singleHeader: { Name: header } },
      regexString: looks,
      textTransformations,
    },
  };
  return { andStatement: { statements: [here, { notStatement: { statement: bearsOne } }] } };
}

function rule(priority: number, name: string, statement: Statement): CfnWebACL.RuleProperty {
  const action = { block: { customResponse: { responseCode: TOO_MANY_REQUESTS } } };
  return { name, priority, statement, action, visibilityConfig: seenAs(name) };
}

/** Samples would show addresses of callbacks, which hold a secret. */
function seenAs(metricName: string): CfnWebACL.VisibilityConfigProperty {
  return { metricName, cloudWatchMetricsEnabled: true, sampledRequestsEnabled: false };
}

function acknowledge(construct: Construct, id: string, reason: string): void {
  Validations.of(construct).acknowledge({ id, reason });
}
