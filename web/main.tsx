// The page: its routes. Without React's StrictMode, which resumes an answer twice.
import './shared/checks'
import './shared/style.css'
import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { Outlet, RouterProvider, createRootRoute, createRoute, createRouter } from '@tanstack/react-router'
import { Suspense, lazy } from 'react'
import { createRoot } from 'react-dom/client'
import { Gate } from './account/gate'
import { placeOf } from './artifacts/place'
import type { QualityQuestion } from './audits/api'
import type { CompareQuestion } from './audits/compare_screen'
import { ChatScreen } from './chat/screen'
import { Problem } from './shared/api'
import { applyTheme } from './shared/theme'

applyTheme()

const PlainFrame = lazy(() => import('./shared/plain_frame').then(m => ({ default: m.PlainFrame })))
const AuditsScreen = lazy(() => import('./audits/list_screen').then(m => ({ default: m.AuditsScreen })))
const AuditScreen = lazy(() => import('./audits/audit_screen').then(m => ({ default: m.AuditScreen })))
const AskScreen = lazy(() => import('./ask/screen').then(m => ({ default: m.AskScreen })))
const ManageScreen = lazy(() => import('./manage/screen').then(m => ({ default: m.ManageScreen })))
const QualityScreen = lazy(() => import('./audits/quality_screen').then(m => ({ default: m.QualityScreen })))
const ReviewScreen = lazy(() => import('./audits/review_screen').then(m => ({ default: m.ReviewScreen })))
const NotFound = lazy(() => import('./shared/not_found').then(m => ({ default: m.NotFound })))
const CompareScreen = lazy(() => import('./audits/compare_screen').then(m => ({ default: m.CompareScreen })))
const FieldsScreen = lazy(() => import('./audits/fields_screen').then(m => ({ default: m.FieldsScreen })))

const Page = () => (
	<Gate>
		<Suspense fallback={<p className="p-6 text-quiet">Loading …</p>}>
			<Outlet />
		</Suspense>
	</Gate>
)
const root = createRootRoute({ component: Page, notFoundComponent: () => null })
// One component for both addresses, so that a conversation stays when it gets its address.
const chats = createRoute({ getParentRoute: () => root, id: 'chats', validateSearch: placeOf, component: ChatScreen })
const home = createRoute({ getParentRoute: () => chats, path: '/', component: Outlet })
const chat = createRoute({ getParentRoute: () => chats, path: '/chat/$id', component: Outlet })
const setup = createRoute({ getParentRoute: () => chats, path: '/setup', component: Outlet })
const plain = createRoute({ getParentRoute: () => root, id: 'plain', component: PlainFrame })
const audits = createRoute({ getParentRoute: () => plain, path: '/audits', component: Outlet })
const auditList = createRoute({ getParentRoute: () => audits, path: '/', component: AuditsScreen })
const audit = createRoute({ getParentRoute: () => audits, path: '/$id', component: AuditScreen })
const word = (v: unknown) => (typeof v === 'string' && v ? v : undefined)
const qualities = createRoute({
	getParentRoute: () => audits,
	path: '/quality',
	component: QualityScreen,
	validateSearch: (s): QualityQuestion => ({
		project: word(s.project),
		q: word(s.q),
		severity: word(s.severity),
		changed: s.changed === true || s.changed === 'true' ? 'true' : undefined,
		sort: word(s.sort) as QualityQuestion['sort'],
		order: s.order === 'reverse' ? 'reverse' : undefined,
	}),
})
const review = createRoute({
	getParentRoute: () => audits,
	path: '/review',
	component: ReviewScreen,
	validateSearch: (s): { project?: string } => ({ project: word(s.project) }),
})
const compared = createRoute({
	getParentRoute: () => audits,
	path: '/compare',
	component: CompareScreen,
	validateSearch: (s): CompareQuestion => ({ a: word(s.a), b: word(s.b), show: word(s.show) as CompareQuestion['show'] }),
})
const fields = createRoute({
	getParentRoute: () => audits,
	path: '/fields',
	component: FieldsScreen,
	validateSearch: (s): { project?: string; collection?: string; upload?: string } => ({
		project: word(s.project),
		collection: word(s.collection),
		upload: word(s.upload),
	}),
})
// One component for both addresses, so that a question stays when it gets its address.
const asks = createRoute({ getParentRoute: () => plain, id: 'asks', component: AskScreen })
const asking = createRoute({ getParentRoute: () => asks, path: '/ask', component: Outlet })
const asked = createRoute({ getParentRoute: () => asks, path: '/ask/$id', component: Outlet })
const managing = createRoute({ getParentRoute: () => plain, path: '/manage', component: ManageScreen })
const managed = createRoute({ getParentRoute: () => plain, path: '/manage/$part', component: ManageScreen })
const lost = createRoute({ getParentRoute: () => plain, path: '$', component: NotFound })
const router = createRouter({
	routeTree: root.addChildren([
		chats.addChildren([home, chat, setup]),
		plain.addChildren([audits.addChildren([auditList, fields, qualities, review, compared, audit]), asks.addChildren([asking, asked]), managing, managed, lost]),
	]),
})

declare module '@tanstack/react-router' {
	interface Register {
		router: typeof router
	}
}

const store = new QueryClient({
	defaultOptions: {
		queries: { retry: (n, e) => n < 1 && e instanceof Problem && e.status === 0, refetchOnWindowFocus: true, staleTime: 5000 },
	},
})

createRoot(document.getElementById('page')!).render(
	<QueryClientProvider client={store}>
		<RouterProvider router={router} />
	</QueryClientProvider>,
)
