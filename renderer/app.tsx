import { History, type LucideIcon, Workflow } from 'lucide-react';
import { AutomationsPage } from './pages/automations.tsx';
import { RunPage } from './pages/run.tsx';
import { RunsPage } from './pages/runs.tsx';
import { hrefOf, type Route, useRoute } from './route.ts';
import { RunsData, useRunsData } from './runs-data.ts';
import { useTexts } from './texts.ts';
import './styles/base.css';
import './styles/shell.css';

/** The window: navigation, and the page that the address names. */
export function App() {
  const route = useRoute();
  const runs = useRunsData();
  const working = runs.value?.filter((run) => run.status === 'running').length ?? 0;
  return (
    <RunsData value={runs}>
      <div className="shell">
        <Navigation route={route} working={working} />
        <main>
          <Page route={route} />
        </main>
      </div>
    </RunsData>
  );
}

function Page({ route }: { route: Route }) {
  const { words } = useTexts();
  switch (route.page) {
    case 'automations':
      return <AutomationsPage />;
    case 'runs':
      return <RunsPage />;
    case 'run':
      return <RunPage key={route.runId} runId={route.runId} back={words.run.back} />;
  }
}

function Navigation({ route, working }: { route: Route; working: number }) {
  const { words } = useTexts();
  return (
    <nav className="navigation" aria-label={words.nav.label}>
      <NavigationLink
        to="automations"
        icon={Workflow}
        text={words.nav.automations}
        current={route.page === 'automations'}
      />
      <NavigationLink to="runs" icon={History} text={words.nav.runs} current={route.page !== 'automations'}>
        {working > 0 && (
          <span className="count" role="img" aria-label={words.nav.working(working)} title={words.nav.working(working)}>
            {working}
          </span>
        )}
      </NavigationLink>
    </nav>
  );
}

interface NavigationLinkProps {
  to: 'automations' | 'runs';
  icon: LucideIcon;
  text: string;
  current: boolean;
  children?: React.ReactNode;
}

function NavigationLink({ to, icon: Icon, text, current, children }: NavigationLinkProps) {
  return (
    <a href={hrefOf({ page: to })} aria-current={current ? 'page' : undefined}>
      <Icon size={16} aria-hidden />
      <span>{text}</span>
      {children}
    </a>
  );
}
