import { functionPair, type Pair } from './pair.ts'

type Row = readonly [rule: string, printed: string, plain: string]

const CPP: readonly Row[] = [
  ['arguments', 'shop::Cart::add(int, char const*)', 'shop::Cart::add'],
  ['a return type', 'unsigned int shop::Cart::total()', 'shop::Cart::total'],
  ['static and a return type', 'static unsigned int shop::Cart::total(int) const', 'shop::Cart::total'],
  ['a const method', 'shop::Cart::size() const', 'shop::Cart::size'],
  ['a method of a reference', 'shop::Cart::size() const &', 'shop::Cart::size'],
  ['a space before the arguments', 'static int pay_all (uint32_t, uint32_t)', 'pay_all'],
  ['template arguments', 'shop::List<int, shop::Alloc<int> >::push(int const&)', 'shop::List<char>::push'],
  ['template arguments at the end', 'void shop::sort<int>(int*)', 'shop::sort<long>'],
  ['the return type has template arguments', 'shop::List<int> shop::load<int>(int)', 'shop::load<T>'],
  ['an anonymous namespace', '(anonymous namespace)::pay(int)', '(anonymous namespace)::pay'],
  ['an anonymous namespace by MSVC', '?A0xc3a0617d::pay', "`anonymous namespace'::pay"],
  ['lambdas by clang', 'main::$_0', 'main::$_42'],
  ['lambdas by gcc', 'main::{lambda(int)#1}', 'main::{lambda()#42}'],
  ['lambdas by gcc and clang', 'main::{lambda(int)#1}', 'main::$_3'],
  ['lambdas by MSVC', 'lambda_7156c3ceaa11256748687ab67e3ef4cd', 'lambda_00000000000000000000000000000000'],
  [
    'calls of lambdas by MSVC',
    '<lambda_7156c3ceaa11256748687ab67e3ef4cd>::operator()',
    '<lambda_11111111111111111111111111111111>::operator()',
  ],
  [
    'calls of lambdas by gcc',
    'main::{lambda(int)#1}::operator()(int) const',
    'main::{lambda(int)#2}::operator()(char) const',
  ],
  ['operator<<', 'shop::operator<<(std::ostream&, shop::Cart const&)', 'shop::operator<<'],
  ['operator()', 'int shop::Sum::operator()(int, int)', 'shop::Sum::operator()'],
  ['operator->', 'shop::Ptr<Cart>::operator->', 'shop::Ptr<Order>::operator->()'],
  ['operator< with a template argument', 'bool shop::operator< <int>(int, int)', 'shop::operator< <T>'],
  ['gcc’s parts', 'pay(int*) [clone .constprop.0]', 'pay'],
  ['gcc’s cold parts', 'shop::Cart::size() const [clone .cold]', 'shop::Cart::size'],
  ['versions of glibc', 'pthread_cond_timedwait@@GLIBC_2.3.2', 'pthread_cond_timedwait'],
  ['older versions of glibc', 'glob64@GLIBC_2.2', 'glob64'],
  ['stdcall', '_Pay@16', '_Pay'],
  ['fastcall', '@Pay@8', 'Pay'],
  ['names without anything', 'pay', ' pay '],
  ['IL2CPP', 'Cart_Pay_m71DE163765BF465EC4A0163F2ED4D43143094549', 'Cart_Pay'],
  ['IL2CPP with a signature', 'Cart_Pay_m71DE163765BF465EC4A0163F2ED4D43143094549(int, MethodInfo const*)', 'Cart_Pay'],
  ['IL2CPP, shared', 'List_1_Add_m5180D7A430072A21034A0692CDD1D565ADEE2ABB_gshared', 'List_1_Add_gshared'],
]

const RUST: readonly Row[] = [
  ['hashes', 'shop::cart::pay::h9de5fbebc1652d47', 'shop::cart::pay::h0123456789abcdef'],
  ['a hash and none', 'shop::cart::pay::h9de5fbebc1652d47', 'shop::cart::pay'],
  ['traits', '<shop::Cart as core::ops::Drop>::drop', 'shop::Cart::drop'],
  ['types with arguments', "<shop::List<'a, U>>::push", 'shop::List<T>::push'],
  ['a trait with a hash', '<shop::Cart<A, C> as futures::Future>::poll::h9de5fbebc1652d47', 'shop::Cart<T>::poll'],
  ['blanket implementations', '<T as core::convert::Into<U>>::into', 'core::convert::Into<T>::into'],
]

const SWIFT: readonly Row[] = [
  ['arguments and result', 'Cart.pay(Any) -> Order', 'Cart.pay'],
  ['an attribute', '@objc Cart.pay(Any) -> ()', 'Cart.pay'],
  ['functions as arguments', '@objc Cart.pay(Any, Item -> Price) -> Order', 'Cart.pay'],
  ['throwing functions', 'static Shop.load() throws -> Shop.Cart?', 'Shop.load'],
  ['numbers of closures', 'closure #1 () -> () in Cart.pay(Int) -> ()', 'closure #2 () -> () in Cart.pay(Int) -> ()'],
  ['closures in closures', 'closure #1 () in closure #2 (Int) in pay(_: Int)', 'closure #1 (Int) in pay(cart: Cart)'],
  [
    'partial application of a closure',
    'partial apply for closure #1 () in pay(_: Int)',
    'closure #3 () in pay(_: Int)',
  ],
  ['specialisations', 'specialized Cart.pay(Any) -> ()', 'Cart.pay(Any) -> ()'],
  [
    'thunks',
    'thunk for @escaping @callee_guaranteed () -> ()',
    'specialized thunk for @callee_guaranteed (@guaranteed [Cart]) -> (@owned [Cart])',
  ],
  [
    'initial values',
    'variable initialization expression of static Shop.Cart.all : Shop.List',
    'variable initialization expression of Shop.Cart.all : Shop.Set',
  ],
  [
    'closures in initial values',
    'closure #1 () -> () in variable initialization expression of static Shop.all : Shop.List',
    'closure #2 () -> () in variable initialization expression of Shop.all : Shop.List',
  ],
]

const APART: readonly (readonly [platform: string, rule: string, first: string, second: string])[] = [
  ['native', 'another method', 'shop::Cart::add(int)', 'shop::Cart::pay(int)'],
  ['native', 'another class', 'shop::Cart::add(int)', 'shop::Order::add(int)'],
  ['native', 'another operator', 'shop::operator<<(int)', 'shop::operator<(int)'],
  ['native', 'lambdas in two functions', 'pay::$_0', 'add::$_0'],
  [
    'native',
    'a lambda by MSVC and one by clang',
    '<lambda_7156c3ceaa11256748687ab67e3ef4cd>::operator()',
    '$_0::operator()',
  ],
  ['native', 'template or not', 'shop::sort<int>(int)', 'shop::sort(int)'],
  ['native', 'closures of Rust in two functions', 'shop::pay::{{closure}}', 'shop::add::{{closure}}'],
  ['cocoa', 'messages of Objective-C', '-[Cart pay:]', '-[Cart add:]'],
  ['cocoa', 'class and instance methods', '+[Cart pay]', '-[Cart pay]'],
  ['cocoa', 'blocks of Objective-C', '__20-[Cart pay:]_block_invoke', '__20-[Cart pay:]_block_invoke_2'],
  ['swift', 'closures in two functions', 'closure #1 () in pay(_: Int)', 'closure #1 () in add(_: Int)'],
  ['swift', 'a closure and its function', 'closure #1 () in pay(_: Int)', 'pay(_: Int)'],
]

const together = (platform: string, rows: readonly Row[]) =>
  rows.map(([rule, printed, plain]) => functionPair(`${platform}: ${rule}`, true, platform, printed, plain))

/** What demanglers print around a name (`functions.py`). */
export const nativePairs: readonly Pair[] = [
  ...together('native', CPP),
  ...together('native', RUST),
  ...together('swift', SWIFT),
  ...['c', 'objc', 'cocoa'].map((platform) => functionPair(`${platform} is native`, true, platform, 'pay(int)', 'pay')),
  ...APART.map(([platform, rule, first, second]) =>
    functionPair(`${platform}: ${rule}`, false, platform, first, second),
  ),
]
