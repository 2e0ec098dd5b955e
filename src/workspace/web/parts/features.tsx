// SERP features as icons: outlined = on the page, filled = ours, struck = lost. Their names are shown on hover.
import {
  AppWindow,
  BookOpen,
  CirclePlay,
  Clapperboard,
  Compass,
  HelpCircle,
  Image,
  type LucideIcon,
  MapPin,
  Megaphone,
  MessageSquare,
  MessagesSquare,
  Newspaper,
  Quote,
  ShoppingBag,
  Sparkles,
  SquareStack,
  Star,
} from 'lucide-react';
import type { ReactNode } from 'react';
import { useProject } from '../project.tsx';
import { featureName } from '../words.ts';

/** By a part of the feature's name; the first that fits. */
const icons: readonly (readonly [RegExp, LucideIcon])[] = [
  [/^ai_/, Sparkles],
  [/featured_snippet|answer_box/, Quote],
  [/people_also_ask/, HelpCircle],
  [/local|map|hotel/, MapPin],
  [/shopping|product|popular_products|commercial/, ShoppingBag],
  [/image|visual/, Image],
  [/short_video/, Clapperboard],
  [/video/, CirclePlay],
  [/news|top_stories/, Newspaper],
  [/knowledge|dictionary/, BookOpen],
  [/forum|discussion|perspective/, MessagesSquare],
  [/twitter|social/, MessageSquare],
  [/paid|ads?$/, Megaphone],
  [/review|rating/, Star],
  [/app/, AppWindow],
  [/refine|related|also_search/, Compass],
];

export function featureIcon(feature: string): LucideIcon {
  return icons.find(([name]) => name.test(feature))?.[1] ?? SquareStack;
}

type FeatureState = 'shown' | 'owned' | 'lost';

const stateWords: Readonly<Record<FeatureState, string>> = { shown: '', owned: ', ours', lost: ', lost' };

export function FeatureIcon({
  feature,
  state = 'shown',
  hasName = true,
}: {
  readonly feature: string;
  readonly state?: FeatureState;
  /** Its name is beside it otherwise. */
  readonly hasName?: boolean;
}): ReactNode {
  const Icon = featureIcon(feature);
  const name = `${featureName(feature)}${stateWords[state]}`;
  return (
    <span className={`feature feature-${state}`} title={hasName ? name : undefined}>
      <Icon size={15} strokeWidth={1.6} aria-hidden="true" />
      {hasName && <span className="unseen">{name}</span>}
    </span>
  );
}

interface FeatureFacts {
  readonly serpFeatures: readonly string[];
  readonly ownedFeatures: readonly string[];
  readonly lostFeatures: readonly string[];
}

/** Ours first, then what was lost, then what else stands on the page. */
export function FeatureIcons({ serpFeatures, ownedFeatures, lostFeatures }: FeatureFacts): ReactNode {
  const others = serpFeatures.filter((feature) => !ownedFeatures.includes(feature));
  const shown: readonly (readonly [string, FeatureState])[] = [
    ...ownedFeatures.map((feature) => [feature, 'owned'] as const),
    ...lostFeatures.map((feature) => [feature, 'lost'] as const),
    ...others.map((feature) => [feature, 'shown'] as const),
  ];
  return (
    <span className="features">
      {shown.map(([feature, state]) => (
        <FeatureIcon key={`${feature} ${state}`} feature={feature} state={state} />
      ))}
    </span>
  );
}

const legend = { shown: 'on the page', owned: 'ours', lost: 'lost since the compared check' } as const;

/** Names of the icons of a project, and what their looks mean. */
export function FeatureLegend(): ReactNode {
  const { facts } = useProject();
  const [first = 'images'] = facts.features;
  const line = (feature: string, state: FeatureState, text: string) => (
    <li key={`${feature} ${state}`}>
      <FeatureIcon feature={feature} state={state} hasName={false} /> {text}
    </li>
  );
  return (
    <>
      <ul className="feature-legend">
        {(['shown', 'owned', 'lost'] as const).map((state) => line(first, state, legend[state]))}
      </ul>
      <ul className="feature-legend">
        {facts.features.map((feature) => line(feature, 'shown', featureName(feature)))}
      </ul>
    </>
  );
}
